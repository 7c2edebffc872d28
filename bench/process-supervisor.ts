import { readdirSync, readFileSync } from "node:fs";

/** A program that supervises processes, to be measured. Each one is used once. */
export interface Supervisor extends AsyncDisposable {
  readonly name: string;
  /** Main processes of the supervisor, without those that it starts later. */
  readonly pids: readonly number[];
  /** Adds processes that run these commands for ever and are restarted whenever they end. Resolves when the request is accepted. */
  add(commands: readonly (readonly string[])[]): Promise<void>;
}

/** Text that only command lines of the supervisor's helpers contain, such as the path of its data folder. */
export interface SupervisorFolder {
  readonly folder: string;
}

/** Commands that can be told apart from all others on this machine: `sleep` for a fraction that is unique. */
export class Sleepers {
  readonly commands: readonly (readonly string[])[];
  readonly #seconds: ReadonlySet<string>;

  /** @param run distinguishes the commands of several supervisors. */
  constructor(count: number, run: number) {
    const seconds = Array.from({ length: count }, (_, index) => `${900_000 + run}.${process.pid}${index}`);
    this.#seconds = new Set(seconds);
    this.commands = seconds.map((each) => ["/bin/sleep", each]);
  }

  /** Pids by their argument. */
  running(): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const pid of allPids()) {
      const seconds = this.#secondsOf(pid);
      if (seconds !== undefined) found.set(seconds, pid);
    }
    return found;
  }

  /** Pid of a new process with this argument, among those that are not in `known`, which grows. */
  find(seconds: string, known: Set<number>): number | undefined {
    for (const pid of allPids()) {
      if (known.has(pid)) continue;
      const found = this.#secondsOf(pid);
      if (found === seconds) return pid;
    }
    return undefined;
  }

  #secondsOf(pid: number): string | undefined {
    const [program = "", seconds = ""] = read(`/proc/${pid}/cmdline`).split("\0");
    return program.endsWith("sleep") && this.#seconds.has(seconds) ? seconds : undefined;
  }

  /** Ends all that still run, if a supervisor failed to. */
  kill(): void {
    for (const pid of this.running().values()) signal(pid, "SIGKILL");
  }
}

/**
 * Processes that supervise: the main ones with their descendants, ancestors of supervised processes that started after `before` was
 * taken, and all that have the supervisor's folder in their command line; not the supervised processes.
 */
export function supervisingPids(
  { pids, folder }: Pick<Supervisor, "pids"> & SupervisorFolder,
  supervised: readonly number[],
  before: ReadonlySet<number>,
): readonly number[] {
  const parents = new Map(allPids().map((pid) => [pid, parentOf(pid)]));
  const found = new Set(pids);
  for (const pid of supervised) {
    for (
      let parent = parents.get(pid) ?? 0;
      parent > 1 && !before.has(parent);
      parent = parents.get(parent) ?? 0
    ) {
      found.add(parent);
    }
  }
  for (const pid of parents.keys()) {
    if (!before.has(pid) && read(`/proc/${pid}/cmdline`).includes(folder)) found.add(pid);
  }
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  found.delete(process.pid);
  for (const pid of supervised) found.delete(pid);
  return [...found];
}

/**
 * Memory in bytes: resident, and proportional, which divides shared pages among those that share them. The benchmark itself shares
 * the program of Node with supervisors that are written for Node.
 */
export function memoryOf(pids: readonly number[]): { readonly rss: number; readonly pss: number } {
  let [rss, pss] = [0, 0];
  for (const pid of pids) {
    const text = read(`/proc/${pid}/smaps_rollup`);
    rss += Number(/^Rss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
    pss += Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
  }
  return { rss, pss };
}

/** Processor time of all threads of processes, and of children that they have waited for; milliseconds. */
export function processorTimeOf(pids: readonly number[]): number {
  let milliseconds = 0;
  for (const pid of pids) {
    // Nanoseconds of each thread: the sums in `stat` are rounded down to 10 ms, which hides what many small processes need.
    for (const thread of threadsOf(pid)) {
      milliseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]) / 1e6;
    }
    const stat = read(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Fields 16 and 17: user and system time of children, in ticks of 10 ms.
    milliseconds += (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * 10;
  }
  return milliseconds;
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

export function allPids(): readonly number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** Waits until a condition holds. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { seconds = 120, pause = 5 } = {},
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Sends a signal, unless the process has ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A process that is not mistaken for a later one with the same number. */
export class IdentifiedProcess {
  readonly #pid: number;
  readonly #startTicks: string | undefined;

  constructor(pid: number) {
    this.#pid = pid;
    this.#startTicks = startTicksOf(pid);
  }

  isRunning(): boolean {
    return this.#startTicks !== undefined && startTicksOf(this.#pid) === this.#startTicks;
  }

  kill(): void {
    if (this.isRunning()) signal(this.#pid, "SIGKILL");
  }
}

/** Field 22 of `stat`; undefined if there is no such process. */
function startTicksOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat === "" ? undefined : stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** Content of a file; empty if its process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
