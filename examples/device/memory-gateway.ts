import { PermanentError } from "fettle";
import type { Gateway, Sight } from "./gateway.js";

/** Gateway with devices in memory, which can fail like real ones. */
export class MemoryGateway implements Gateway {
  /** Calls so far, such as `start pump`. */
  readonly done: string[] = [];
  readonly #devices = new Map<string, Sight>();
  #outages = 0;

  /** Makes the next connections fail. */
  failConnections(times: number): void {
    this.#outages = times;
  }

  /** Stops a device without the controller. */
  crash(device: string): void {
    this.#change(device, { state: "stopped" });
  }

  /** Changes the config on the device itself. */
  tamper(device: string, config: Sight["config"]): void {
    this.#change(device, { config });
  }

  /** Current state of all devices. */
  all(): Readonly<Record<string, Sight>> {
    return Object.fromEntries(this.#devices);
  }

  async look(device: string): Promise<Sight> {
    return this.#devices.get(device) ?? { connected: false, state: "stopped" };
  }

  async connect(device: string): Promise<void> {
    if (this.#outages-- > 0) throw new Error(`${device} does not answer`);
    this.#did("connect", device, { connected: true });
  }

  async configure(device: string, config: Readonly<Record<string, string>>): Promise<void> {
    const unknown = Object.keys(config).find((setting) => setting !== "mode" && setting !== "rate");
    if (unknown !== undefined) throw new PermanentError("InvalidConfig", `${device} has no ${unknown}`);
    this.#did("configure", device, { config });
  }

  async start(device: string): Promise<void> {
    this.#did("start", device, { state: "running" });
  }

  async stop(device: string): Promise<void> {
    this.#did("stop", device, { state: "stopped" });
  }

  #did(what: string, device: string, change: Partial<Sight>): void {
    this.done.push(`${what} ${device}`);
    this.#change(device, change);
  }

  #change(device: string, change: Partial<Sight>): void {
    const { connected = false, state = "stopped", config } = this.#devices.get(device) ?? {};
    this.#devices.set(device, { connected, state, config, ...change });
  }
}
