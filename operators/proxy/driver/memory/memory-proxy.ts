import { sleep, type Clock } from "fettle/model";
import type { RenderPaths } from "../../nginx/rendered.js";
import {
  NotServed,
  ProxyDriverError,
  type CheckResult,
  type Generation,
  type ProxyDriver,
  type ProxyState,
  type VerifyOptions,
} from "../driver.js";
import { StagedFiles } from "./staged-files.js";

export interface MemoryProxyOptions {
  readonly clock: Clock;
}

/** Fault of a file, as nginx finds it. */
export interface FileFault {
  readonly message: string;
  /** Counted from 1. */
  readonly line?: number | undefined;
}

/** State of a {@link MemoryProxy} for comparisons of two runs: without numbers of processes and generations. */
export interface ProxySnapshot {
  readonly running: boolean;
  /** Digest and files that nginx serves. */
  readonly digest: string | undefined;
  readonly files: Readonly<Record<string, string>>;
}

/** Generations that are kept besides the active and the good one. */
const keptGenerations = 5;
/** Milliseconds between two looks of `verify` at an nginx that is not running. */
const interval = 25;

/**
 * Simulates an nginx in memory. The object is the machine: it keeps its state when controllers crash, so that one object serves all
 * runs of a test. nginx is started as soon as a generation is active, unless it was killed. Methods that are not of {@link ProxyDriver}
 * simulate what happens on a machine.
 *
 * @example
 * const proxy = memoryProxy({ clock });
 * proxy.portsInUse.set(8080, "python3 (process 71)");
 */
export function memoryProxy(options: MemoryProxyOptions): MemoryProxy {
  return new MemoryProxy(options);
}

export class MemoryProxy implements ProxyDriver {
  readonly paths: RenderPaths = {
    socket: "/proxy/nginx.sock",
    pidFile: "/proxy/nginx.pid",
    errorLog: "/proxy/logs/error.log",
    limitLog: "/proxy/logs/limit.log",
    temporary: undefined,
    asRoot: true,
  };
  readonly configFile = "/proxy/active/nginx.conf";
  readonly arguments = ["-c", this.configFile, "-p", "/proxy/", "-g", "daemon off;"] as const;

  /** Lets checks and reloads fail for files that it returns a fault for. */
  refuse: (path: string, content: string) => FileFault | undefined = () => undefined;
  /** Message with which nginx keeps the old configuration at a reload, though checks succeed; undefined ends that. */
  keepOldConfiguration: string | undefined;
  /** Ports that other programs of the machine have bound, with their names. */
  readonly portsInUse = new Map<number, string>();
  /** Reloads that nginx has performed, the successful ones only. */
  reloads = 0;

  readonly #clock: Clock;
  readonly #generations = new Map<number, StagedFiles>();
  readonly #listeners = new Set<(change: string) => void>();
  readonly #failures: { readonly method: DriverMethod | undefined; readonly error: Error }[] = [];
  #active: number | undefined;
  #good: number | undefined;
  #newest = 0;
  #lastPid = 1000;
  #pid: number | undefined;
  #isKilled = false;
  /** Generation that nginx serves, with its files when they were loaded. */
  #served:
    | { readonly number: number; readonly digest: string; readonly files: Map<string, string> }
    | undefined;
  /** Reason for which the last load failed. */
  #loadProblem: string | undefined;

  constructor({ clock }: MemoryProxyOptions) {
    this.#clock = clock;
  }

  async inspect(signal?: AbortSignal): Promise<ProxyState> {
    this.#step("inspect", signal);
    return {
      active: this.#describe(this.#active),
      good: this.#describe(this.#good),
      newest: Math.max(this.#newest, this.#served?.number ?? 0),
      pid: this.#pid,
      served: this.#served?.number,
      edited: this.#activeFiles?.edited() ?? [],
    };
  }

  async stage(files: ReadonlyMap<string, string>, digest: string): Promise<number> {
    this.#step("stage");
    this.#generations.set(++this.#newest, new StagedFiles(files, digest));
    return this.#newest;
  }

  async check(generation: number, signal?: AbortSignal): Promise<CheckResult> {
    this.#step("check", signal);
    const fault = this.#faultOf(this.#existing(generation));
    if (fault === undefined) return { ok: true };
    return { ok: false, message: fault.message, file: fault.file, line: fault.line };
  }

  async activate(generation: number): Promise<void> {
    this.#step("activate");
    this.#existing(generation);
    this.#active = generation;
    if (this.#pid === undefined && !this.#isKilled) this.#start();
  }

  async reload(): Promise<boolean> {
    this.#step("reload");
    if (this.#pid === undefined) return false;
    if (this.#load()) this.reloads++;
    return true;
  }

  async verify(generation: number, ports: readonly number[], options: VerifyOptions): Promise<void> {
    this.#step("verify", options.signal);
    const end = this.#clock.now() + options.timeout;
    for (;;) {
      const problem = this.#problem(generation, ports);
      if (problem === undefined) return;
      // A reload takes no time here; only the start of nginx is worth waiting for.
      if (problem.reason !== "NotRunning" || this.#clock.now() >= end) throw problem;
      await sleep(this.#clock, interval, options.signal);
    }
  }

  async markGood(generation: number): Promise<void> {
    this.#step("markGood");
    this.#existing(generation);
    this.#good = generation;
  }

  async prune(): Promise<void> {
    this.#step("prune");
    const numbers = [...this.#generations.keys()].toSorted((one, other) => other - one);
    for (const number of numbers.slice(keptGenerations))
      if (number !== this.#active && number !== this.#good) this.#generations.delete(number);
  }

  async read(generation: number): Promise<ReadonlyMap<string, string> | undefined> {
    this.#step("read");
    const staged = this.#generations.get(generation);
    const [edited] = staged?.edited() ?? [];
    if (edited === undefined) return staged && new Map(staged.original);
    throw new ProxyDriverError(
      "Unreadable",
      `${edited} of configuration ${generation} was changed by somebody`,
    );
  }

  async portProblem(address: string, port: number): Promise<string | undefined> {
    this.#step("portProblem");
    if (this.#served !== undefined && portsOf(this.#served.files).has(port)) return undefined;
    const owner = this.portsInUse.get(port);
    return owner === undefined ? undefined : `Port ${port} on ${address} is in use by ${owner}`;
  }

  subscribe(listener: (change: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async remove(): Promise<void> {
    this.#step("remove");
    this.#end();
    this.#generations.clear();
    this.#active = this.#good = undefined;
    this.#newest = 0;
    this.#isKilled = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }

  /** Simulates a new instance of Fettle. */
  restart(): void {
    this.#listeners.clear();
  }

  /** Ends nginx, which stays away until `startNginx()`. */
  killNginx(): void {
    this.#isKilled = true;
    if (this.#pid === undefined) return;
    this.#end();
    this.#announce("nginx ended");
  }

  /** Starts nginx with the active generation; returns false if it could not load it. */
  startNginx(): boolean {
    this.#isKilled = false;
    if (this.#pid !== undefined) return true;
    const pid = this.#active === undefined ? undefined : this.#start();
    if (pid !== undefined) this.#announce(`nginx was started (process ${pid})`);
    return pid !== undefined;
  }

  /** Changes, adds or deletes a file of the active generation, as somebody with an editor does. */
  edit(path: string, content: string | undefined): void {
    this.#activeFiles?.edit(path, content);
    this.#announce(`files of the configuration were changed: ${path}`);
  }

  /** Lets the next call of a method fail, or the next call of any. */
  failNext(error: Error = diskFull(), method?: DriverMethod): void {
    this.#failures.push({ method, error });
  }

  /** Files that nginx serves; undefined if it is not running. */
  servedFiles(): ReadonlyMap<string, string> | undefined {
    return this.#served?.files;
  }

  snapshot(): ProxySnapshot {
    const { digest, files } = this.#served ?? {};
    return { running: this.#pid !== undefined, digest, files: Object.fromEntries(files ?? []) };
  }

  get #activeFiles(): StagedFiles | undefined {
    return this.#active === undefined ? undefined : this.#generations.get(this.#active);
  }

  #step(method: DriverMethod, signal?: AbortSignal): void {
    signal?.throwIfAborted();
    const index = this.#failures.findIndex((each) => (each.method ?? method) === method);
    const [failure] = index === -1 ? [] : this.#failures.splice(index, 1);
    if (failure !== undefined) throw failure.error;
  }

  #describe(number: number | undefined): Generation | undefined {
    const staged = number === undefined ? undefined : this.#generations.get(number);
    return number === undefined || staged === undefined ? undefined : { number, digest: staged.digest };
  }

  #existing(generation: number): StagedFiles {
    const staged = this.#generations.get(generation);
    if (staged !== undefined) return staged;
    throw new ProxyDriverError("Unreadable", `Configuration ${generation} was deleted; stage it again`);
  }

  #faultOf(staged: StagedFiles): (FileFault & { readonly file: string }) | undefined {
    for (const [file, content] of staged.files) {
      const fault = this.refuse(file, content);
      if (fault !== undefined) return { ...fault, file };
    }
    return undefined;
  }

  /** Starts nginx; undefined if it cannot load the active generation. */
  #start(): number | undefined {
    if (this.#load()) this.#pid = ++this.#lastPid;
    return this.#pid;
  }

  /** Loads the active generation; returns false if nginx goes on as before. */
  #load(): boolean {
    const staged = this.#activeFiles;
    if (staged === undefined || this.#active === undefined) return false;
    const isRunning = this.#pid !== undefined;
    const fault = this.#faultOf(staged)?.message ?? (isRunning ? this.keepOldConfiguration : undefined);
    this.#loadProblem = fault ?? this.#bindProblem(portsOf(staged.files));
    if (this.#loadProblem !== undefined) return false;
    this.#served = { number: this.#active, digest: staged.digest, files: new Map(staged.files) };
    return true;
  }

  #bindProblem(ports: ReadonlySet<number>): string | undefined {
    const own = this.#served === undefined ? new Set() : portsOf(this.#served.files);
    const taken = [...ports].find((port) => this.portsInUse.has(port) && !own.has(port));
    return taken === undefined ? undefined : `bind() to 0.0.0.0:${taken} failed (98: Address already in use)`;
  }

  #problem(generation: number, ports: readonly number[]): NotServed | undefined {
    const detail = this.#loadProblem === undefined ? "" : `: ${this.#loadProblem}`;
    if (this.#pid === undefined) return new NotServed("NotRunning", `nginx is not running${detail}`);
    if (this.#served?.number !== generation)
      return new NotServed("OldConfiguration", `nginx kept the old configuration${detail}`);
    const bound = portsOf(this.#served.files);
    const missing = ports.find((port) => !bound.has(port));
    return missing === undefined
      ? undefined
      : new NotServed("PortNotServed", `Port ${missing} accepts no connections`);
  }

  #end(): void {
    this.#pid = undefined;
    this.#served = undefined;
  }

  #announce(change: string): void {
    for (const listener of this.#listeners) listener(change);
  }
}

type DriverMethod = Exclude<
  {
    [Name in keyof ProxyDriver]: ProxyDriver[Name] extends (...parameters: never[]) => unknown ? Name : never;
  }[keyof ProxyDriver],
  symbol | "subscribe"
>;

/** Failure of a full disk. */
export function diskFull(): ProxyDriverError {
  return new ProxyDriverError(
    "DiskFull",
    "The configuration could not be written: the disk is full; free some space",
  );
}

/** Ports that files declare with `listen`. */
function portsOf(files: ReadonlyMap<string, string>): Set<number> {
  const text = [...files.values()].join("\n");
  const listens = [...text.matchAll(/^\s*(?:server\s*\{\s*)?listen\s+"?([^\s;"]+)/gm)];
  const addresses = listens.map(([, address = ""]) => address).filter((each) => !each.startsWith("unix:"));
  return new Set(addresses.map((each) => Number(each.slice(each.lastIndexOf(":") + 1))));
}
