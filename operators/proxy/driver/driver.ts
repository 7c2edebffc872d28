import type { RenderPaths } from "../nginx/rendered.js";

/**
 * Contract between the controller of a ProxyClass and one nginx. `linux/` works on a real nginx, `memory/` simulates one, and
 * `contract.ts` tests both.
 *
 * Every configuration is written to a folder of its own, numbered from 1, and never changed afterwards. nginx reads a link, which
 * is moved in one step:
 *
 *            stage                check                activate + reload              verified
 *   files ─────────► generation N ─────► N is loadable ─────────────────► N is active ────────► N is good
 *                                                                              │ not served
 *                                                                              └──► activate(good) + reload
 *
 * A crash between any two calls leaves either the old or the new configuration active, both complete. `inspect()` tells how far
 * it got: everything is read from the disk and from nginx, nothing is kept in memory.
 */
export interface ProxyDriver extends AsyncDisposable {
  /** Paths for the next configuration; another socket if the file of the last one was deleted. */
  readonly paths: RenderPaths;
  /** File that nginx is started with, behind the link to the active configuration. */
  readonly configFile: string;
  /** Arguments of nginx, after its program. */
  readonly arguments: readonly string[];

  inspect(signal?: AbortSignal): Promise<ProxyState>;
  /** Writes the files of a new generation, durably, and returns its number. Nothing reads them yet. */
  stage(files: ReadonlyMap<string, string>, digest: string): Promise<number>;
  /** Lets nginx check a generation. */
  check(generation: number, signal?: AbortSignal): Promise<CheckResult>;
  /** Moves the link to a generation, durably. A running nginx goes on with the old one until it is reloaded. */
  activate(generation: number): Promise<void>;
  /** Asks a running nginx to load the active generation; returns false if none is running. */
  reload(): Promise<boolean>;
  /** Resolves when nginx serves the generation and all ports accept connections; rejects with a {@link NotServed}. */
  verify(generation: number, ports: readonly number[], options: VerifyOptions): Promise<void>;
  /** Records that a generation was served, so that others can return to it. */
  markGood(generation: number): Promise<void>;
  /** Deletes generations except the active one, the last good one, and the newest ones. */
  prune(): Promise<void>;
  /** Files of a generation as they were staged; undefined if it does not exist. */
  read(generation: number): Promise<ReadonlyMap<string, string> | undefined>;
  /** Says who uses a port, or that it cannot be bound; undefined if it is free or this nginx has it. */
  portProblem(address: string, port: number): Promise<string | undefined>;
  /** Calls a listener when files of the active generation were changed by others, or nginx ended or was started. */
  subscribe(listener: (change: string) => void): Disposable;
  /** Deletes everything that the driver has written. nginx must not be running any more. */
  remove(): Promise<void>;
}

export interface ProxyState {
  /** Generation behind the link, with the digest it was staged with. */
  readonly active: Generation | undefined;
  /** Last generation that was verified. */
  readonly good: Generation | undefined;
  /** Highest number that was staged. */
  readonly newest: number;
  /** Master process; undefined if none is running. */
  readonly pid: number | undefined;
  /** Number of the generation that nginx serves; undefined if it does not respond. */
  readonly served: number | undefined;
  /** Files of the active generation that differ from what was staged, are missing or are new. */
  readonly edited: readonly string[];
}

export interface Generation {
  readonly number: number;
  readonly digest: string;
}

export type CheckResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** Message of nginx, without paths of the driver. */
      readonly message: string;
      /** Path in the generation, if the message has one. */
      readonly file: string | undefined;
      readonly line: number | undefined;
    };

export interface VerifyOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** nginx does not serve a generation, though it was asked to. */
export class NotServed extends Error {
  override readonly name = "NotServed";
  readonly reason: "NotRunning" | "OldConfiguration" | "PortNotServed";

  constructor(reason: NotServed["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A failure of the machine rather than of the configuration; the call can be repeated. */
export class ProxyDriverError extends Error {
  override readonly name = "ProxyDriverError";
  readonly reason: "DiskFull" | "NotPermitted" | "ProgramMissing" | "Unreadable";

  constructor(reason: ProxyDriverError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
