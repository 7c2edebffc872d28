import type { Clock } from "fettle/model";
import {
  DriverError,
  type Attempt,
  type AttemptRecord,
  type DriverChange,
  type DriverEntry,
  type Launch,
  type LaunchProblem,
  type LogLine,
  type LogOptions,
  type ProbeCheck,
  type ProcessDriver,
  type SignalName,
  type StopOptions,
} from "../driver.js";
import { exitText } from "../exit-text.js";
import { checkAttempt, checkSignal, checkUid, launchProblem, outdatedAttempts } from "../launch-check.js";
import { logPattern } from "../log-pattern.js";
import { SimulatedProcess, type SimulatedProgram } from "./simulated-process.js";

export interface MemoryDriverOptions {
  readonly clock: Clock;
  /** Behaviour of commands by their first element. Others run until they are stopped. */
  readonly programs?: Readonly<Record<string, SimulatedProgram>> | undefined;
}

/**
 * Simulates processes in memory. The object is the machine: it keeps its state when controllers crash, so that one object serves all
 * runs of a test. Methods that are not of {@link ProcessDriver} simulate what happens on a machine.
 *
 * @example
 * const driver = memoryDriver({ clock, programs: { task: (process) => process.exit(0) } });
 * await driver.start(uid, 1, launch, record);
 * driver.exit(uid, 1);
 */
export function memoryDriver(options: MemoryDriverOptions): MemoryDriver {
  return new MemoryDriver(options);
}

/** State of a process in a {@link MemoryDriver.snapshot}, without what differs from run to run. */
export interface ProcessSnapshot {
  readonly process: string;
  readonly attempts: readonly {
    readonly number: number;
    readonly state: Attempt["state"];
    readonly reason: AttemptRecord["reason"];
    readonly restarts: number;
    /** Such as `Exited 1`, `Signaled SIGTERM` or `NotStarted CommandNotFound`. */
    readonly exit?: string | undefined;
  }[];
}

export class MemoryDriver implements ProcessDriver {
  /** While true, starts fail and log lines are lost. */
  diskFull = false;
  /** Commands, users and folders that do not exist. */
  readonly missing = { commands: new Set<string>(), users: new Set<string>(), folders: new Set<string>() };
  /** Ports that other programs of the machine have bound. */
  readonly portsInUse = new Set<number>();

  readonly #clock: Clock;
  readonly #programs: Readonly<Record<string, SimulatedProgram>>;
  readonly #processes = new Map<string, Map<number, SimulatedProcess>>();
  readonly #listeners = new Set<(change: DriverChange) => void>();
  readonly #probeFailures = new Map<string, string>();
  #instance = 1;
  #boots = 1;
  #lastPid = 1000;

  constructor({ clock, programs = {} }: MemoryDriverOptions) {
    this.#clock = clock;
    this.#programs = programs;
  }

  async inspect(uid: string): Promise<readonly Attempt[]> {
    checkUid(uid);
    return this.#attempts(uid).map((each) => each.describe(this.#instance));
  }

  async list(): Promise<readonly DriverEntry[]> {
    return [...this.#processes].flatMap(([uid, attempts]) => {
      const [first] = attempts.values();
      return first ? [{ uid, namespace: first.record.namespace, name: first.record.name }] : [];
    });
  }

  async start(uid: string, attempt: number, launch: Launch, record: AttemptRecord): Promise<void> {
    checkAttempt(uid, attempt);
    if (this.#find(uid, attempt)) return;
    if (this.diskFull) {
      throw new DriverError("DiskFull", "The attempt could not be recorded: no space left on device");
    }
    const process = new SimulatedProcess({
      number: attempt,
      launch,
      record,
      clock: this.#clock,
      instance: this.#instance,
      isDiskFull: () => this.diskFull,
      changed: (process, text) => this.#announce(uid, process, text),
    });
    const attempts = this.#processes.get(uid) ?? new Map<number, SimulatedProcess>();
    this.#processes.set(uid, attempts.set(attempt, process));
    const problem = launchProblem(launch) ?? this.#missingPart(launch);
    if (problem) {
      process.end({ cause: "NotStarted", problem });
    } else {
      const identity = { pid: ++this.#lastPid, startTicks: this.#ticks(), bootId: `boot-${this.#boots}` };
      process.run(identity, this.#programs[launch.argv[0]] ?? (() => {}));
    }
    const states = this.#attempts(uid).map(({ number, exitRecord }) => ({
      number,
      exited: exitRecord !== undefined,
    }));
    for (const number of outdatedAttempts(states, launch.history)) attempts.delete(number);
  }

  async stop(uid: string, attempt: number, options: StopOptions): Promise<void> {
    checkSignal(options.signal);
    this.#find(uid, attempt)?.stop(options);
  }

  async signal(uid: string, attempt: number, signal: SignalName): Promise<void> {
    checkSignal(signal);
    this.#find(uid, attempt)?.signal(signal);
  }

  async probe(
    uid: string,
    attempt: number,
    probe: ProbeCheck,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    signal.throwIfAborted();
    const process = this.#find(uid, attempt);
    if (!process?.running) return "the process is not running";
    const failure = this.#probeFailures.get(uid);
    if (failure !== undefined) return failure;
    if (probe.type === "notify") {
      return process.notified ? undefined : "the process has not written to its notify descriptor";
    }
    if (probe.type === "exec" && this.missing.commands.has(probe.argv[0])) {
      return `command not found: ${probe.argv[0]}`;
    }
    if (probe.type !== "log") return undefined;
    const { matches, fault } = logPattern(probe.pattern);
    if (fault !== undefined) return fault;
    const lines = process.log.lines.map(({ text }) => new TextDecoder().decode(text));
    return lines.some((line) => matches(line)) ? undefined : `no line of the log matches ${probe.pattern}`;
  }

  async remove(uid: string): Promise<void> {
    checkUid(uid);
    const running = this.#attempts(uid).find(({ exitRecord }) => exitRecord === undefined);
    if (running) throw new DriverError("NotExited", `Attempt ${running.number} is still running: stop it`);
    this.#processes.delete(uid);
  }

  async *logs(uid: string, attempt: number, options: LogOptions): AsyncIterable<LogLine> {
    const process = this.#find(uid, attempt);
    if (process) yield* process.log.read(options);
  }

  async isPortFree(_host: string, port: number): Promise<boolean> {
    return !this.#boundPorts().has(port);
  }

  async allocatePort(_host: string, taken: ReadonlySet<number>): Promise<number> {
    const bound = this.#boundPorts();
    let port = 20_000;
    while (taken.has(port) || bound.has(port)) port++;
    return port;
  }

  subscribe(listener: (change: DriverChange) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }

  /** Simulates a new instance of Fettle: attempts of earlier ones are adopted. */
  restart(): void {
    this.#listeners.clear();
    this.#instance++;
  }

  /** Ends the running attempt with an exit code. */
  exit(uid: string, code: number): void {
    this.running(uid)?.exit(code);
  }

  /** Ends the running attempt as the kernel does when its memory limit is exceeded. */
  outOfMemory(uid: string): void {
    this.running(uid)?.end({ cause: "Signaled", signal: "SIGKILL", oomKilled: true });
  }

  /** Writes lines to the log of the running attempt. */
  print(uid: string, text: string, stream: LogLine["stream"] = "stdout"): void {
    this.running(uid)?.print(text, stream);
  }

  /** Writes a line to the notify descriptor of the running attempt. */
  notify(uid: string): void {
    this.running(uid)?.notify();
  }

  /** Lets the running attempt ignore a signal. */
  ignoreSignal(uid: string, signal: SignalName = "SIGTERM"): void {
    this.running(uid)?.onSignal(signal, () => {});
  }

  /** Lets all probes of an object fail with a reason; undefined ends that. */
  failProbes(uid: string, reason: string | undefined): void {
    if (reason === undefined) this.#probeFailures.delete(uid);
    else this.#probeFailures.set(uid, reason);
  }

  /** Kills the shim of the running attempt, which becomes `orphaned`. */
  loseShim(uid: string): void {
    this.running(uid)?.loseShim();
  }

  /** Reboots the machine: all processes end. */
  reboot(): void {
    this.#boots++;
    for (const attempts of this.#processes.values()) {
      for (const process of attempts.values()) process.end({ cause: "Rebooted" });
    }
  }

  /** Uid of the object with this name; undefined if it has no attempts. */
  uidOf(name: string, namespace = "default"): string | undefined {
    for (const [uid, attempts] of this.#processes) {
      for (const { record } of attempts.values()) {
        if (record.name === name && record.namespace === namespace) return uid;
      }
    }
    return undefined;
  }

  /** The newest attempt of an object, if it is running. */
  running(uid: string): SimulatedProcess | undefined {
    const newest = this.#attempts(uid).at(-1);
    return newest?.running === true ? newest : undefined;
  }

  /** All attempts, to compare the ends of two runs: without pids, times and uids. */
  snapshot(): readonly ProcessSnapshot[] {
    return [...this.#processes.values()]
      .map((attempts) => {
        const all = [...attempts.values()].toSorted((one, other) => one.number - other.number);
        const { namespace, name } = all[0]?.record ?? { namespace: "", name: "" };
        return {
          process: `${namespace}/${name}`,
          attempts: all.map((each) => ({
            number: each.number,
            state: each.describe(this.#instance).state,
            reason: each.record.reason,
            restarts: each.record.restarts,
            exit: each.exitRecord && exitSummary(each.exitRecord),
          })),
        };
      })
      .toSorted((one, other) => (one.process < other.process ? -1 : 1));
  }

  #find(uid: string, attempt: number): SimulatedProcess | undefined {
    checkAttempt(uid, attempt);
    return this.#processes.get(uid)?.get(attempt);
  }

  #attempts(uid: string): readonly SimulatedProcess[] {
    const attempts = this.#processes.get(uid)?.values() ?? [];
    return [...attempts].toSorted((one, other) => one.number - other.number);
  }

  #missingPart({ argv: [program], env, workingDir, user, group }: Launch): LaunchProblem | undefined {
    if (this.missing.commands.has(program)) {
      const message = `Command not found: there is no ${program} in PATH (${env["PATH"] ?? "not set"})`;
      return { reason: "CommandNotFound", message };
    }
    const account = [user, group].find((each) => each !== undefined && this.missing.users.has(each));
    if (account !== undefined) return { reason: "UnknownUser", message: `There is no user ${account}` };
    if (workingDir !== undefined && this.missing.folders.has(workingDir)) {
      return { reason: "InvalidWorkingDir", message: `The working folder ${workingDir} does not exist` };
    }
    return undefined;
  }

  /** Ports of the machine, and those of running attempts, which are assumed to bind all that they were given. */
  #boundPorts(): ReadonlySet<number> {
    const bound = new Set(this.portsInUse);
    for (const attempts of this.#processes.values()) {
      for (const process of attempts.values()) {
        if (process.running) for (const port of Object.values(process.record.ports)) bound.add(port);
      }
    }
    return bound;
  }

  /** Ticks of 10 ms since a boot that is taken to have been at the start of 2026. */
  #ticks(): number {
    return Math.max(1, Math.floor((this.#clock.now() - Date.UTC(2026, 0)) / 10));
  }

  #announce(uid: string, process: SimulatedProcess, text = ""): void {
    const { exitRecord, identity } = process;
    const who = identity === undefined ? "the process" : `pid ${identity.pid}`;
    const end = exitRecord && `${who} ${exitText(exitRecord)}`;
    const { namespace, name } = process.record;
    const change = { uid, namespace, name, attempt: process.number, text: end ?? text };
    // After the method that caused it, as on a real machine.
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener(change);
    });
  }
}

function exitSummary({ cause, code, signal, problem, oomKilled }: NonNullable<Attempt["exit"]>): string {
  const detail = code ?? signal ?? problem?.reason;
  return [cause, detail, oomKilled ? "out of memory" : undefined]
    .filter((part) => part !== undefined)
    .join(" ");
}
