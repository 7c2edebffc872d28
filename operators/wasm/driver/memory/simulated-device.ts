import type { Clock, Timer } from "fettle/model";
import type { FailureReason } from "../../kinds.js";
import type { Deployment, DeviceApplicationState } from "../driver.js";

/** Reaction of a device to a deployment. `after` are milliseconds since the start; without it, it happens while starting. */
export type SimulatedBehaviour =
  /** Runs until it is stopped. */
  | { readonly does: "run" }
  | { readonly does: "trap"; readonly message?: string | undefined; readonly after?: number | undefined }
  | { readonly does: "exit"; readonly code: number; readonly after?: number | undefined }
  /** Does not start it. Default reason: Refused. */
  | {
      readonly does: "refuse";
      readonly reason?: FailureReason | undefined;
      readonly message?: string | undefined;
    }
  /** Never answers. */
  | { readonly does: "ignore" };

/** End of an application: an exit code, or a failure. */
export type SimulatedEnd =
  | { readonly exitCode: number }
  | { readonly reason: FailureReason; readonly message: string };

export interface SimulatedDeviceOptions {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Bytes. Default: 64 MiB. */
  readonly memory?: number | undefined;
  readonly features?: readonly string[] | undefined;
  readonly agent?: string | undefined;
}

interface Deployed {
  readonly deployment: Deployment;
  state: DeviceApplicationState;
  readonly timers: Timer[];
}

/** A device with its applications, which go on while it is disconnected. */
export class SimulatedDevice {
  labels: Readonly<Record<string, string>> = {};
  memory = 64 << 20;
  features: readonly string[] = [];
  agent = "simulated-device/1.0.0";
  connectedAt: string | undefined;
  lastHeartbeat: string | undefined;
  /** What the gateway has heard of; undefined if it was not connected since the gateway started. */
  reported: Map<string, DeviceApplicationState> | undefined;
  /** Called when an application changed on its own. */
  changed: (application: string, text: string) => void = () => {};

  readonly #clock: Clock;
  readonly #applications = new Map<string, Deployed>();

  constructor(
    readonly publicKey: string,
    clock: Clock,
  ) {
    this.#clock = clock;
  }

  get isConnected(): boolean {
    return this.connectedAt !== undefined;
  }

  connect(options: SimulatedDeviceOptions): void {
    this.labels = options.labels ?? this.labels;
    this.memory = options.memory ?? this.memory;
    this.features = options.features ?? this.features;
    this.agent = options.agent ?? this.agent;
    this.connectedAt = this.#now();
    this.lastHeartbeat = this.connectedAt;
    this.report();
  }

  disconnect(): void {
    this.connectedAt = undefined;
  }

  /** Tells the gateway the state of all applications, if it is connected. */
  report(): void {
    if (!this.isConnected) return;
    this.reported = new Map([...this.#applications].map(([name, { state }]) => [name, state]));
  }

  get deployments(): readonly { readonly deployment: Deployment; readonly state: DeviceApplicationState }[] {
    return [...this.#applications.values()];
  }

  find(application: string): DeviceApplicationState | undefined {
    return this.#applications.get(application)?.state;
  }

  start(deployment: Deployment, behaviour: SimulatedBehaviour): DeviceApplicationState {
    const { application, id, timeLimit } = deployment;
    this.remove(application);
    const state = { application, id, state: "Running" as const, startedAt: this.#now() };
    this.#applications.set(application, { deployment, state, timers: [] });
    if (timeLimit !== undefined) {
      const message = `The module ran for more than ${timeLimit} ms`;
      this.#endLater(application, timeLimit, { reason: "TimeLimit", message });
    }
    const end = endOf(behaviour);
    if (end !== undefined && "after" in behaviour && behaviour.after !== undefined) {
      this.#endLater(application, behaviour.after, end);
    } else if (end !== undefined) {
      this.#finish(application, end);
    }
    this.report();
    return this.find(application) ?? state;
  }

  remove(application: string): void {
    for (const timer of this.#applications.get(application)?.timers ?? []) timer.cancel();
    this.#applications.delete(application);
    this.report();
  }

  /** Ends a running application; the gateway learns of it at once, or when the device connects again. */
  end(application: string, end: SimulatedEnd): void {
    if (this.find(application)?.state !== "Running") return;
    this.#finish(application, end);
    this.report();
    this.changed(application, `is ${this.find(application)?.state}`);
  }

  #endLater(application: string, milliseconds: number, end: SimulatedEnd): void {
    const timer = this.#clock.after(milliseconds, () => this.end(application, end));
    this.#applications.get(application)?.timers.push(timer);
  }

  #finish(application: string, end: SimulatedEnd): void {
    const deployed = this.#applications.get(application);
    if (deployed === undefined) return;
    for (const timer of deployed.timers) timer.cancel();
    deployed.state = { ...deployed.state, ...outcomeOf(end), finishedAt: this.#now() };
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function endOf(behaviour: SimulatedBehaviour): SimulatedEnd | undefined {
  if (behaviour.does === "exit") return { exitCode: behaviour.code };
  if (behaviour.does === "trap") return { reason: "Trap", message: behaviour.message ?? "unreachable" };
  return undefined;
}

function outcomeOf(end: SimulatedEnd): Pick<DeviceApplicationState, "state" | "exitCode" | "failure"> {
  if (!("exitCode" in end)) return { state: "Failed", failure: end };
  const { exitCode } = end;
  if (exitCode === 0) return { state: "Completed", exitCode };
  const failure = { reason: "Exit" as const, message: `The module exited with code ${exitCode}` };
  return { state: "Failed", exitCode, failure };
}
