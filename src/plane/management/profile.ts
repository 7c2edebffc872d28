import { Session } from "node:inspector/promises";
import { setTimeout as pause } from "node:timers/promises";
import { freemem } from "node:os";
import { getHeapSnapshot } from "node:v8";
import { managementConflict } from "./parameters.js";

/** Only one profile can be taken at a time in a process. */
let isRunning = false;

/** Bytes of heap above which no snapshot is taken: it stops the process for about a second per 100 MiB, and doubles its memory. */
const maxSnapshot = 1.5 * 2 ** 30;

/**
 * Takes a CPU profile of this process. Returns the text of a `.cpuprofile` file, for Chrome or VS Code.
 *
 * @throws {ApiError} 409 when a profile is being taken already.
 */
export function cpuProfile(milliseconds: number, signal: AbortSignal): Promise<string> {
  return exclusively(async (session) => {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await pause(milliseconds, undefined, { signal });
    const { profile } = await session.post("Profiler.stop");
    return JSON.stringify(profile);
  });
}

/**
 * Samples allocations of this process, those that are still alive at the end. Returns the text of a `.heapprofile` file, for Chrome
 * or VS Code.
 *
 * @throws {ApiError} 409 when a profile is being taken already.
 */
export function heapProfile(milliseconds: number, signal: AbortSignal): Promise<string> {
  return exclusively(async (session) => {
    await session.post("HeapProfiler.enable");
    await session.post("HeapProfiler.startSampling");
    await pause(milliseconds, undefined, { signal });
    const { profile } = await session.post("HeapProfiler.stopSampling");
    return JSON.stringify(profile);
  });
}

/**
 * Takes a snapshot of the heap: every object, and what refers to it. The process stands still until it is taken. Streams the text of
 * a `.heapsnapshot` file, for Chrome.
 *
 * @throws {ApiError} 409 when a profile is being taken already, or the heap is too large.
 */
export function heapSnapshot({
  heapUsed = process.memoryUsage().heapUsed,
  available = availableMemory(),
} = {}): AsyncIterable<string | Uint8Array> {
  checkFree();
  const used = `the heap has ${mebibytes(heapUsed)}, and a snapshot`;
  const otherwise = "take a profile of allocations instead: fettle debug profile --heap";
  if (heapUsed > maxSnapshot) {
    throw managementConflict(
      `${used} of more than ${mebibytes(maxSnapshot)} would stop the process for too long; ${otherwise}`,
    );
  }
  if (heapUsed > available) {
    throw managementConflict(
      `${used} needs as much again, but ${mebibytes(available)} are free; ${otherwise}`,
    );
  }
  return streamSnapshot();
}

async function* streamSnapshot(): AsyncGenerator<string | Uint8Array, void, undefined> {
  checkFree();
  isRunning = true;
  try {
    yield* getHeapSnapshot() as AsyncIterable<string | Uint8Array>;
  } finally {
    isRunning = false;
  }
}

/** Bytes that this process may still use. */
function availableMemory(): number {
  // Knows the limit of a container; Node 20 does not have it before 20.13.
  const { availableMemory: available } = process as { availableMemory?: () => number };
  return available?.() ?? freemem();
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

function checkFree(): void {
  if (!isRunning) return;
  throw managementConflict(
    "another profile is being taken, and there can be one at a time: try again when it is done",
  );
}

function exclusively(take: (session: Session) => Promise<string>): Promise<string> {
  checkFree();
  isRunning = true;
  return inSession(take).finally(() => (isRunning = false));
}

async function inSession(take: (session: Session) => Promise<string>): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    return await take(session);
  } finally {
    session.disconnect();
  }
}
