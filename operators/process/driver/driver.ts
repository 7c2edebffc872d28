/**
 * Contract between the controllers and the machine on which processes run. `linux/` runs real processes and `memory/` simulates
 * them; `contract.ts` tests both.
 *
 * A process of the API is run any number of times: every time is an attempt, numbered from 1. An attempt belongs to the uid of
 * its object. The record of attempts outlives Fettle, and so do the processes themselves.
 *
 *                    start                    exits, is stopped, or cannot be executed
 *   (no attempt) ───────────► starting ──► running ──────────────────────────────────► exited
 *                                │            │                                          ▲
 *                                │            └──► orphaned: its shim is gone ───────────┤
 *                                └───────────────── the machine was rebooted ────────────┘
 *
 * All methods are idempotent. A method that resolves has taken effect, even if Fettle is killed at that moment.
 */
export interface ProcessDriver extends AsyncDisposable {
  /** Attempts of a process that are still recorded, oldest first. */
  inspect(uid: string): Promise<readonly Attempt[]>;
  /** Objects with recorded attempts: those of processes that were deleted without their cleanup, too. */
  list(): Promise<readonly DriverEntry[]>;
  /**
   * Starts an attempt and waits until it runs or could not be executed (`exit.cause` is `NotStarted`). Has no effect if the attempt
   * exists. Older attempts beyond `launch.history` are removed.
   *
   * @throws {DriverError} if the attempt could not be recorded, such as on a full disk.
   */
  start(uid: string, attempt: number, launch: Launch, record: AttemptRecord): Promise<void>;
  /**
   * Asks an attempt to stop: sends the signal, and SIGKILL to all that is left of it when the grace period is over. Does not wait for
   * the end. Goes on if Fettle ends. A second call can shorten the grace period, but not extend it.
   */
  stop(uid: string, attempt: number, options: StopOptions): Promise<void>;
  /** Sends a signal to the main process of an attempt. Has no effect if that is no longer running. */
  signal(uid: string, attempt: number, signal: SignalName): Promise<void>;
  /**
   * Runs a check against a running attempt.
   *
   * @returns undefined if it succeeded, otherwise the reason why not.
   */
  probe(uid: string, attempt: number, probe: ProbeCheck, signal: AbortSignal): Promise<string | undefined>;
  /** Removes all attempts and their logs. Throws if one of them has not exited. */
  remove(uid: string): Promise<void>;
  /** Lines of an attempt's log, oldest first. With `follow`, waits for more until the attempt has exited. */
  logs(uid: string, attempt: number, options: LogOptions): AsyncIterable<LogLine>;
  /**
   * Reports whether a port is not in use, so that a process would not fail because of it.
   *
   * @throws {DriverError} if no process could use it, such as one of an address that this machine does not have.
   */
  isPortFree(host: string, port: number): Promise<boolean>;
  /** Returns a free port that is not in `taken`. */
  allocatePort(host: string, taken: ReadonlySet<number>): Promise<number>;
  /** Calls the listener when an attempt changed. Changes may be reported late or twice, and are never the only way to learn of them. */
  subscribe(listener: (change: DriverChange) => void): Disposable;
}

/** Signal by its name, such as `SIGTERM`. */
export type SignalName = `SIG${string}`;

/** Everything that is needed to execute a process. */
export interface Launch {
  /** Program and arguments. A program without a slash is looked up in the `PATH` of `env`. */
  readonly argv: readonly [string, ...string[]];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir?: string | undefined;
  /** Name or number. Default: the user of Fettle. */
  readonly user?: string | undefined;
  /** Name or number. Default: the groups of `user`. */
  readonly group?: string | undefined;
  readonly limits: ProcessLimits;
  readonly logs: LogRotation;
  /** Descriptor on which the process writes a line when it is ready, as in s6. */
  readonly notifyDescriptor?: number | undefined;
  /** Attempts to keep, with their logs. */
  readonly history: number;
}

export interface ProcessLimits {
  readonly memoryBytes?: number | undefined;
  /** Processors, such as 0.5. */
  readonly cpus?: number | undefined;
  readonly pids?: number | undefined;
}

interface LogRotation {
  /** Size of a file, in bytes, from which the next one is begun. */
  readonly maxBytes: number;
  /** Files of one attempt, including the current one. */
  readonly maxFiles: number;
}

/** Why an attempt was started. */
export type StartReason =
  | "Created"
  | "Changed"
  | "Requested"
  | "Scheduled"
  | "Exited"
  | "ProbeFailed"
  | "Rebooted"
  | "Resumed";

/** Data of the controller about an attempt; the driver only stores it. */
export interface AttemptRecord {
  readonly namespace: string;
  readonly name: string;
  readonly reason: StartReason;
  /** Hash of what was launched. */
  readonly hash: string;
  /** Starts by the restart policy since the object was created. */
  readonly restarts: number;
  /** Attempts in a row before this one that ended soon, for the backoff. */
  readonly failures: number;
  /** Times of recent restarts, for the start limit, in milliseconds since 1970. */
  readonly recentStarts: readonly number[];
  /** Value of the restart annotation that was seen at the start. */
  readonly restartedAt?: string | undefined;
  /** Time for which a scheduled task was due, in milliseconds since 1970. */
  readonly due?: number | undefined;
  /** Ports by name. */
  readonly ports: Readonly<Record<string, number>>;
}

export type AttemptState = "starting" | "running" | "orphaned" | "exited";

export interface Attempt {
  readonly number: number;
  readonly state: AttemptState;
  readonly record: AttemptRecord;
  /** Time of the start, in milliseconds since 1970. Undefined until it runs. */
  readonly startedAt?: number | undefined;
  /** Identity of the main process; undefined until it runs. */
  readonly process?: ProcessIdentity | undefined;
  /** Reason of the first `stop`; undefined unless it was called. */
  readonly stopReason?: StopReason | undefined;
  /** True once the process wrote a line to its notify descriptor. */
  readonly notified: boolean;
  /** True if an earlier instance of the driver started it. */
  readonly adopted: boolean;
  /** Means of finding descendants that left the process group; with `none`, these are not found. */
  readonly tracking: "cgroup" | "subreaper" | "none";
  /** Why limits are not in force; empty if all of them are. */
  readonly limitProblems: readonly string[];
  /** Undefined unless it is running. */
  readonly usage?: ProcessUsage | undefined;
  /** Lines that could not be written to the log, and why. */
  readonly lostLines: { readonly count: number; readonly reason?: string | undefined };
  /** Undefined until it exited. */
  readonly exit?: ExitRecord | undefined;
}

/** Identity of an operating-system process that no other has. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks between the boot and the start of the process. */
  readonly startTicks: number;
  readonly bootId: string;
}

export interface ProcessUsage {
  /** Processor time of all its processes, in seconds. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly pids: number;
}

/**
 * Why an attempt ended: it `Exited` with a code, was ended by a signal (`Signaled`), could not be executed (`NotStarted`), ended with
 * the machine (`Rebooted`), or its shim was killed, so that nobody knows (`Unknown`).
 */
type ExitCause = "Exited" | "Signaled" | "NotStarted" | "Rebooted" | "Unknown";

export interface ExitRecord {
  readonly cause: ExitCause;
  readonly code?: number | undefined;
  readonly signal?: SignalName | undefined;
  /** The kernel killed a process of it because of its memory limit. */
  readonly oomKilled: boolean;
  /** Descendants that were still running when the main process ended, and were killed. */
  readonly leftovers: number;
  /** For `NotStarted`: what went wrong. */
  readonly problem?: LaunchProblem | undefined;
  /** Milliseconds since 1970; for `Rebooted` and `Unknown`, when it was noticed. */
  readonly at: number;
}

export interface LaunchProblem {
  readonly reason:
    | "CommandNotFound"
    | "NotExecutable"
    | "UnknownUser"
    | "NotPermitted"
    | "InvalidWorkingDir"
    | "LimitFailed"
    | "LaunchFailed";
  readonly message: string;
}

/** Why an attempt was stopped. */
export type StopReason = "Suspended" | "Deleted" | "Changed" | "Requested" | "ProbeFailed" | "Orphaned";

export interface StopOptions {
  /** Stored with the attempt. */
  readonly reason: StopReason;
  readonly signal: SignalName;
  /** Milliseconds until SIGKILL. */
  readonly grace: number;
}

/** Check of a probe. */
export type ProbeCheck =
  | {
      readonly type: "http";
      readonly host: string;
      readonly port: number;
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: "tcp"; readonly host: string; readonly port: number }
  /** Runs with the user, environment and working folder of the process. */
  | { readonly type: "exec"; readonly argv: readonly [string, ...string[]]; readonly launch: Launch }
  /** Succeeds once a line of the attempt's log has matched; a regular expression in RE2 syntax. */
  | { readonly type: "log"; readonly pattern: string }
  /** Succeeds once the process has written to its notify descriptor. */
  | { readonly type: "notify" };

export interface LogOptions {
  readonly follow?: boolean | undefined;
  /** Only lines written then or later, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Only the last lines. */
  readonly tail?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface LogLine {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly stream: "stdout" | "stderr";
  /** Bytes without the line feed. */
  readonly text: Uint8Array;
  /** True if the line goes on in the next entry: long lines are stored in pieces. */
  readonly partial: boolean;
}

export interface DriverEntry {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

export interface DriverChange extends DriverEntry {
  readonly attempt: number;
  /** Sentence for people, such as `pid 4711 exited with code 1`. */
  readonly text: string;
  /** True if a call of `start` or `stop` waits for this change, whose caller learns of it by the return. */
  readonly awaited?: boolean | undefined;
}

/** A failure of the machine rather than of the process; the call can be repeated. */
export class DriverError extends Error {
  override readonly name = "DriverError";
  readonly reason: "DiskFull" | "NotPermitted" | "NoSuchAddress" | "ShimFailed" | "NotExited" | "FolderInUse";

  constructor(reason: DriverError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
