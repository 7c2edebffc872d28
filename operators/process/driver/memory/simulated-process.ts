import type { Clock, Timer } from "fettle/model";
import type {
  Attempt,
  AttemptRecord,
  ExitRecord,
  Launch,
  LogLine,
  ProcessIdentity,
  SignalName,
  StopOptions,
  StopReason,
} from "../driver.js";
import { SimulatedLog } from "./simulated-log.js";

/** Running process as its {@link SimulatedProgram} sees it. */
interface ProcessHandle {
  readonly launch: Launch;
  print(text: string, stream?: LogLine["stream"]): void;
  /** Writes a line to the notify descriptor. */
  notify(): void;
  exit(code: number): void;
  /** Replaces what a signal does; the default of most is to end the process. */
  onSignal(signal: SignalName, action: () => void): void;
  /** Leaves so many processes behind that do not end with the main one. */
  leaveDescendants(count: number): void;
}

/** Behaviour of a command: called when it is started. One that only returns runs until it is stopped. */
export type SimulatedProgram = (process: ProcessHandle) => void;

/** Signals that do not end a process by default. */
const harmless = new Set<SignalName>(["SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH"]);

export interface SimulatedProcessOptions {
  readonly number: number;
  readonly launch: Launch;
  readonly record: AttemptRecord;
  readonly clock: Clock;
  /** Identity of the instance of Fettle that started it. */
  readonly instance: number;
  readonly isDiskFull: () => boolean;
  readonly changed: (process: SimulatedProcess, text?: string) => void;
}

/** One simulated attempt. `identity` is set exactly from the start to the end of time; `exit` only once it has ended. */
export class SimulatedProcess implements ProcessHandle {
  readonly log = new SimulatedLog();
  readonly #options: SimulatedProcessOptions;
  readonly #actions = new Map<SignalName, () => void>();
  identity: ProcessIdentity | undefined;
  exitRecord: ExitRecord | undefined;
  startedAt: number | undefined;
  notified = false;
  limitProblems: readonly string[] = [];
  #orphaned = false;
  #descendants = 0;
  #lostLines = 0;
  #stop:
    | { readonly reason: StopReason; readonly signal: SignalName; deadline: number; timer: Timer }
    | undefined;

  constructor(options: SimulatedProcessOptions) {
    this.#options = options;
  }

  get number(): number {
    return this.#options.number;
  }

  get launch(): Launch {
    return this.#options.launch;
  }

  get record(): AttemptRecord {
    return this.#options.record;
  }

  get running(): boolean {
    return this.identity !== undefined && this.exitRecord === undefined;
  }

  run(identity: ProcessIdentity, program: SimulatedProgram): void {
    this.identity = identity;
    this.startedAt = this.#options.clock.now();
    this.#options.changed(this, `pid ${identity.pid} started`);
    program(this);
  }

  print(text: string, stream: LogLine["stream"] = "stdout"): void {
    if (!this.running) return;
    const lines = text.split("\n");
    if (this.#options.isDiskFull()) this.#lostLines += lines.length;
    else for (const line of lines) this.log.append(this.#options.clock.now(), stream, line);
  }

  notify(): void {
    if (!this.running || this.notified) return;
    this.notified = true;
    this.#options.changed(this, "is ready by its notify descriptor");
  }

  onSignal(signal: SignalName, action: () => void): void {
    if (signal !== "SIGKILL") this.#actions.set(signal, action);
  }

  leaveDescendants(count: number): void {
    this.#descendants += count;
  }

  exit(code: number): void {
    this.end({ cause: "Exited", code });
  }

  signal(name: SignalName): void {
    if (!this.running) return;
    const action = this.#actions.get(name);
    if (action) return action();
    if (!harmless.has(name)) this.end({ cause: "Signaled", signal: name });
  }

  stop({ reason, signal, grace }: StopOptions): void {
    if (!this.running) return;
    const before = this.#stop;
    const deadline = this.#options.clock.now() + grace;
    if (before && before.deadline <= deadline && before.signal === signal) return;
    before?.timer.cancel();
    const earliest = Math.min(deadline, before?.deadline ?? Infinity);
    const left = Math.max(0, earliest - this.#options.clock.now());
    const timer = this.#options.clock.after(left, () => this.signal("SIGKILL"));
    this.#stop = { reason: before?.reason ?? reason, signal, deadline: earliest, timer };
    if (!before) this.#options.changed(this, "is stopping");
    // Programs take a second signal as a request to hurry, so only another one is sent.
    if (before?.signal !== signal) this.signal(signal);
  }

  /** From now on nobody learns how the process ends. */
  loseShim(): void {
    if (!this.running) return;
    this.#orphaned = true;
    this.#options.changed(this, "its shim is gone");
  }

  end(exit: Partial<ExitRecord> & Pick<ExitRecord, "cause">): void {
    if (this.exitRecord) return;
    this.#stop?.timer.cancel();
    const at = this.#options.clock.now();
    const leftovers = exit.cause === "Rebooted" ? 0 : this.#descendants;
    const lost = this.#orphaned && (exit.cause === "Exited" || exit.cause === "Signaled");
    this.exitRecord = lost
      ? { cause: "Unknown", oomKilled: false, leftovers, at }
      : { oomKilled: false, leftovers, at, ...exit };
    this.log.end();
    this.#options.changed(this);
  }

  describe(instance: number): Attempt {
    const { number, record } = this.#options;
    return {
      number,
      state: this.exitRecord ? "exited" : this.#orphaned ? "orphaned" : "running",
      record,
      startedAt: this.startedAt,
      process: this.identity,
      stopReason: this.#stop?.reason,
      notified: this.notified,
      adopted: this.#options.instance !== instance,
      tracking: "cgroup",
      limitProblems: this.limitProblems,
      usage: this.running
        ? { cpuSeconds: 0, memoryBytes: 1024 * 1024, pids: 1 + this.#descendants }
        : undefined,
      lostLines: {
        count: this.#lostLines,
        reason: this.#lostLines > 0 ? "no space left on device" : undefined,
      },
      exit: this.exitRecord,
    };
  }
}
