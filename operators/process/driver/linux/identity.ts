import { readFileSync } from "node:fs";

let cachedBootId: string | undefined;

/** Identity of the present boot; numbers of processes mean nothing after the next one. */
export function bootId(): string {
  return (cachedBootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
}

/** Facts of a process from `/proc`. */
export interface ProcessFacts {
  /** Letter, such as `Z` for one that ended and was not waited for. */
  readonly state: string;
  /** Clock ticks of processor time. */
  readonly cpuTicks: number;
  readonly startTicks: number;
  readonly residentPages: number;
}

/** Reads `/proc/PID/stat`; undefined if there is no such process. */
export function processFacts(pid: number): ProcessFacts | undefined {
  const text = readIfExists(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name of the program comes before the other fields, in parentheses, and may have any characters.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return {
    state: fields[0] ?? "X",
    cpuTicks: Number(fields[11]) + Number(fields[12]),
    startTicks: Number(fields[19]),
    residentPages: Number(fields[21]),
  };
}

/** Process by number and start time, as the shim writes it: `4711:123456`. */
export interface ProcessKey {
  readonly pid: number;
  readonly startTicks: number;
}

export function parseKey(text: string | undefined): ProcessKey | undefined {
  const [, pid, startTicks] = /^(\d+)[:.](\d+)$/.exec(text ?? "") ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), startTicks: Number(startTicks) };
}

/** Tests whether that very process is running, in the present boot. */
export function isAlive({ pid, startTicks }: ProcessKey): boolean {
  const facts = processFacts(pid);
  return facts !== undefined && facts.startTicks === startTicks && !/[ZX]/.test(facts.state);
}

/** Text of a small file; undefined if it or its process does not exist. */
export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH", "ENOTDIR", "ENODEV"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

export function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
