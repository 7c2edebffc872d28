import { createHash } from "node:crypto";
import type { Clock } from "fettle/model";
import {
  GatewayError,
  type Deployment,
  type DeviceApplicationState,
  type GatewayChange,
  type GatewayDevice,
  type GatewayDriver,
  type GatewayInfo,
} from "../driver.js";
import {
  SimulatedDevice,
  type SimulatedBehaviour,
  type SimulatedDeviceOptions,
  type SimulatedEnd,
} from "./simulated-device.js";

export type { SimulatedBehaviour, SimulatedDeviceOptions, SimulatedEnd } from "./simulated-device.js";

export interface MemoryGatewayOptions {
  readonly clock: Clock;
  /** Behaviour of deployments for which {@link MemoryGateway.behave} has set none. Default: they run. */
  readonly behaviour?: ((deployment: Deployment) => SimulatedBehaviour) | undefined;
  /** Default: Approval. */
  readonly enrolment?: "Approval" | "Closed" | undefined;
  /** Milliseconds to wait for the answer of a device. Default: 60 s. */
  readonly answerTimeout?: number | undefined;
}

/**
 * Simulates a gateway and its devices in memory. The object is the world outside: it keeps its state when controllers crash, so that
 * one object serves all runs of a test. Methods that are not of {@link GatewayDriver} simulate what happens there.
 *
 * @example
 * const gateway = memoryGateway({ clock });
 * gateway.connect("a2V5", { labels: { site: "north" } });
 * gateway.behave(digest, { does: "trap" });
 * await gateway.admit({ name: "d1", publicKey: "a2V5" });
 */
export function memoryGateway(options: MemoryGatewayOptions): MemoryGateway {
  return new MemoryGateway(options);
}

/** Applications of a device in a {@link MemoryGateway.snapshot}, without what differs from run to run. */
export interface DeviceSnapshot {
  /** Name, or the public key of a device that was not admitted. */
  readonly device: string;
  readonly isConnected: boolean;
  readonly applications: readonly {
    readonly application: string;
    readonly digest: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly state: DeviceApplicationState["state"];
    readonly reason?: string | undefined;
  }[];
}

export class MemoryGateway implements GatewayDriver {
  /** All starts of applications on devices, in their order. */
  readonly starts: Deployment[] = [];

  readonly #options: MemoryGatewayOptions;
  /** Devices by public key. */
  readonly #devices = new Map<string, SimulatedDevice>();
  /** Public keys of admitted devices by name. */
  readonly #admitted = new Map<string, string>();
  readonly #modules = new Map<string, Uint8Array>();
  readonly #behaviours = new Map<string, SimulatedBehaviour>();
  readonly #listeners = new Set<(change: GatewayChange) => void>();
  /** Called when a device disconnects, to reject what waits for its answer. */
  readonly #waiting = new Map<SimulatedDevice, Set<(error: GatewayError) => void>>();
  #isDown = false;

  constructor(options: MemoryGatewayOptions) {
    this.#options = options;
  }

  async info(): Promise<GatewayInfo> {
    this.#throwIfDown();
    return { address: "127.0.0.1:4433", fingerprint: "00".repeat(32), version: "0.1.0" };
  }

  async devices(): Promise<readonly GatewayDevice[]> {
    this.#throwIfDown();
    const admitted = [...this.#admitted].map(([name, key]) => this.#describe(name, key));
    const pending = [...this.#devices.values()]
      .filter((device) => device.isConnected && this.#nameOf(device) === undefined)
      .map(({ publicKey }) => this.#describe(undefined, publicKey));
    return [...admitted, ...pending];
  }

  async admit({ name, publicKey }: { readonly name: string; readonly publicKey: string }): Promise<void> {
    this.#throwIfDown();
    const other = this.#nameOfKey(publicKey);
    if (other === name) return;
    if (other !== undefined) {
      throw new GatewayError("Refused", `The key of device ${name} is already admitted as device ${other}`);
    }
    const previous = this.#find(name);
    this.#admitted.set(name, publicKey);
    if (previous !== undefined) this.#close(previous);
    this.#announce(name, undefined, "was admitted");
  }

  async dismiss(name: string): Promise<void> {
    this.#throwIfDown();
    const device = this.#find(name);
    if (!this.#admitted.delete(name)) return;
    if (device !== undefined) this.#close(device);
    this.#announce(name, undefined, "was dismissed");
  }

  async hasModule(digest: string): Promise<boolean> {
    this.#throwIfDown();
    return this.#modules.has(digest);
  }

  async putModule(digest: string, bytes: Uint8Array): Promise<void> {
    this.#throwIfDown();
    const actual = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    if (actual !== digest) {
      throw new GatewayError("DigestMismatch", `The module has the digest ${actual}, not ${digest}`);
    }
    this.#modules.set(digest, bytes);
  }

  async deploy(deployment: Deployment, signal?: AbortSignal): Promise<DeviceApplicationState> {
    this.#throwIfDown();
    signal?.throwIfAborted();
    const device = this.#connected(deployment.device);
    const existing = device.find(deployment.application);
    if (existing?.id === deployment.id) return existing;
    if (!this.#modules.has(deployment.digest)) throw missingModule(deployment.digest);
    const behaviour = this.#behaviourOf(deployment);
    if (behaviour.does === "ignore") return this.#noAnswer(device, deployment.device, signal);
    if (behaviour.does === "refuse") {
      throw new GatewayError(behaviour.reason ?? "Refused", behaviour.message ?? "The device refused it");
    }
    this.starts.push(deployment);
    const state = device.start(deployment, behaviour);
    this.#announce(deployment.device, deployment.application, `is ${state.state}`);
    return state;
  }

  async stop(device: string, application: string, signal?: AbortSignal): Promise<void> {
    this.#throwIfDown();
    signal?.throwIfAborted();
    const connected = this.#connected(device);
    const key = connected.publicKey;
    const behaviour = this.#behaviours.get(device) ?? this.#behaviours.get(key);
    if (behaviour?.does === "ignore") await this.#noAnswer(connected, device, signal);
    if (connected.find(application) === undefined) return;
    connected.remove(application);
    this.#announce(device, application, "was stopped");
  }

  async applications(device: string): Promise<readonly DeviceApplicationState[] | undefined> {
    this.#throwIfDown();
    const reported = this.#find(device)?.reported;
    return reported && [...reported.values()];
  }

  subscribe(listener: (change: GatewayChange) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }

  /** Connects a device, which exists from then on. One that is not admitted waits for approval. */
  connect(publicKey: string, options: SimulatedDeviceOptions = {}): void {
    const device = this.#devices.get(publicKey) ?? new SimulatedDevice(publicKey, this.#options.clock);
    this.#devices.set(publicKey, device);
    device.changed = (application, text) => {
      const name = this.#nameOf(device);
      if (name !== undefined && device.isConnected) this.#announce(name, application, text);
    };
    if (this.#isDown) return;
    const name = this.#nameOf(device);
    if (name === undefined && this.#options.enrolment === "Closed") return;
    device.connect(options);
    this.#announce(name, undefined, name === undefined ? "A device waits for approval" : "connected");
  }

  /** Disconnects a device by its name or public key. Its applications go on. */
  disconnect(nameOrKey: string): void {
    const device = this.#find(nameOrKey) ?? this.#devices.get(nameOrKey);
    if (device?.isConnected !== true) return;
    this.#close(device);
    this.#announce(this.#nameOf(device), undefined, "disconnected");
  }

  /** Makes the gateway unreachable, or reachable again. Devices keep what they run. */
  setDown(isDown: boolean): void {
    if (this.#isDown === isDown) return;
    this.#isDown = isDown;
    this.#announce(undefined, undefined, isDown ? "The gateway is down" : "The gateway is reachable again");
  }

  /** Replaces the gateway by one without any state: it knows no devices and has no modules. Devices keep what they run. */
  loseState(): void {
    this.#admitted.clear();
    this.#modules.clear();
    for (const device of this.#devices.values()) device.reported = undefined;
    for (const device of this.#devices.values()) device.report();
    this.#announce(undefined, undefined, "The gateway was restarted");
  }

  /** Sets the behaviour of a device (by name or public key) or of a module (by digest); undefined removes it. */
  behave(deviceOrDigest: string, behaviour: SimulatedBehaviour | undefined): void {
    if (behaviour === undefined) this.#behaviours.delete(deviceOrDigest);
    else this.#behaviours.set(deviceOrDigest, behaviour);
  }

  /** Ends an application that runs on a device. */
  end(nameOrKey: string, application: string, end: SimulatedEnd): void {
    (this.#find(nameOrKey) ?? this.#devices.get(nameOrKey))?.end(application, end);
  }

  /** Resets a device: it has no applications any more, and reports so when it is connected. */
  reset(nameOrKey: string): void {
    const device = this.#find(nameOrKey) ?? this.#devices.get(nameOrKey);
    for (const { deployment } of device?.deployments ?? []) device?.remove(deployment.application);
    if (device?.isConnected === true) this.#announce(this.#nameOf(device), undefined, "was reset");
  }

  /** All devices and their applications as plain JSON, to compare the ends of two runs. */
  snapshot(): readonly DeviceSnapshot[] {
    return [...this.#devices.values()]
      .map((device) => ({
        device: this.#nameOf(device) ?? device.publicKey,
        isConnected: device.isConnected,
        applications: device.deployments
          .map(({ deployment: { application, digest, args, env }, state }) => ({
            application,
            digest,
            args,
            env,
            state: state.state,
            ...(state.failure && { reason: state.failure.reason }),
          }))
          .toSorted((one, other) => (one.application < other.application ? -1 : 1)),
      }))
      .toSorted((one, other) => (one.device < other.device ? -1 : 1));
  }

  #throwIfDown(): void {
    if (this.#isDown) throw new GatewayError("GatewayDown", "The gateway is not reachable");
  }

  #find(name: string): SimulatedDevice | undefined {
    return this.#devices.get(this.#admitted.get(name) ?? "");
  }

  #nameOf({ publicKey }: SimulatedDevice): string | undefined {
    return this.#nameOfKey(publicKey);
  }

  #nameOfKey(publicKey: string): string | undefined {
    for (const [name, key] of this.#admitted) if (key === publicKey) return name;
    return undefined;
  }

  #connected(name: string): SimulatedDevice {
    const device = this.#find(name);
    if (device?.isConnected !== true) throw disconnected(name);
    return device;
  }

  #behaviourOf(deployment: Deployment): SimulatedBehaviour {
    const { device, digest } = deployment;
    const key = this.#admitted.get(device) ?? "";
    const set = this.#behaviours.get(device) ?? this.#behaviours.get(key) ?? this.#behaviours.get(digest);
    return set ?? this.#options.behaviour?.(deployment) ?? { does: "run" };
  }

  #close(device: SimulatedDevice): void {
    device.disconnect();
    const error = disconnected(this.#nameOf(device) ?? device.publicKey);
    for (const reject of this.#waiting.get(device) ?? []) reject(error);
  }

  #noAnswer(device: SimulatedDevice, name: string, signal: AbortSignal | undefined): Promise<never> {
    const { clock, answerTimeout = 60_000 } = this.#options;
    const waiting = this.#waiting.get(device) ?? new Set();
    this.#waiting.set(device, waiting);
    return new Promise<never>((_resolve, reject) => {
      const settle = (error: unknown): void => {
        timer.cancel();
        waiting.delete(settle);
        signal?.removeEventListener("abort", abort);
        reject(error);
      };
      const abort = (): void => settle(signal?.reason);
      const timer = clock.after(answerTimeout, () =>
        settle(new GatewayError("Timeout", `Device ${name} did not answer within ${answerTimeout / 1000} s`)),
      );
      waiting.add(settle);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #describe(name: string | undefined, publicKey: string): GatewayDevice {
    const device = this.#devices.get(publicKey);
    return {
      name,
      publicKey,
      isConnected: device?.isConnected === true,
      connectedAt: device?.connectedAt,
      lastHeartbeat: device?.lastHeartbeat,
      agent: device?.agent,
      labels: device?.labels ?? {},
      capabilities: { memory: device?.memory, features: device?.features ?? [] },
    };
  }

  #announce(device: string | undefined, application: string | undefined, text: string): void {
    const change = { device, application, text };
    // After the method that caused it, as with a real gateway.
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener(change);
    });
  }
}

function disconnected(name: string): GatewayError {
  return new GatewayError("DeviceDisconnected", `Device ${name} is not connected`);
}

function missingModule(digest: string): GatewayError {
  return new GatewayError("Refused", `The gateway does not have the module ${digest}: put it first`);
}
