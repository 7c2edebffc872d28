import { readdirSync, readFileSync } from "node:fs";
import type { ProcessUsage } from "../driver.js";
import type { Cgroups } from "./cgroups.js";
import { processFacts, readIfExists } from "./identity.js";
import type { ShimState } from "./state-file.js";

/** Unit of times in `/proc`, which is the same on all architectures that Node supports. */
const ticksPerSecond = 100;
/** Entry of the auxiliary vector that has the size of a page. */
const pageSizeEntry = 6n;
let cachedPageSize: number | undefined;

/** Processor time, memory and processes of an attempt: from its cgroups, and what these do not tell from `/proc`. */
export function usageOf(state: ShimState, cgroups: Cgroups): ProcessUsage | undefined {
  if (state.child === undefined) return undefined;
  const known = cgroups.usage(state.cgroups);
  const pids = known.processes ?? [state.child.pid, ...descendants(state.child.pid)];
  const facts =
    known.cpuSeconds === undefined || known.memoryBytes === undefined
      ? pids.map((pid) => processFacts(pid)).filter((each) => each !== undefined)
      : [];
  return {
    cpuSeconds: known.cpuSeconds ?? facts.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) / ticksPerSecond,
    memoryBytes:
      known.memoryBytes ?? facts.reduce((sum, { residentPages }) => sum + residentPages, 0) * pageSize(),
    pids: pids.length,
  };
}

function descendants(pid: number): number[] {
  const children = childrenOf(pid);
  return children.concat(children.flatMap(descendants));
}

function childrenOf(pid: number): number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) => {
    const text = readIfExists(`/proc/${pid}/task/${thread}/children`) ?? "";
    return text.split(" ").filter(Boolean).map(Number);
  });
}

function pageSize(): number {
  return (cachedPageSize ??= readPageSize());
}

/** Reads the auxiliary vector of this program: pairs of 64-bit numbers. */
function readPageSize(): number {
  const vector = readFileSync("/proc/self/auxv");
  const numbers = new BigUint64Array(
    vector.buffer.slice(vector.byteOffset, vector.byteOffset + vector.length),
  );
  const index = numbers.findIndex((entry, index) => index % 2 === 0 && entry === pageSizeEntry);
  return index < 0 ? 4096 : Number(numbers[index + 1]);
}
