import { watch, type FSWatcher } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { LogLine, LogOptions } from "../driver.js";
import { LogReader, positionSince, tailPosition } from "./log-files.js";
import type { Waiter } from "./waiters.js";

/** Changes of files are announced by the kernel; this is for the case that it cannot. */
const longestWait = 1000;

/** Line in place of those that a slow reader misses. */
const gapText = Buffer.from(
  "fettle: lines are missing here, because the log was rotated before they were read",
);

interface LogSource {
  readonly folder: string;
  /** Woken when the attempt changes. */
  readonly waiter: Waiter;
  /** True once nothing more can be written. */
  readonly isComplete: () => boolean;
}

/** Reads the log of an attempt, and with `follow` goes on until it is complete. */
export async function* followLog(source: LogSource, options: LogOptions): AsyncIterable<LogLine> {
  const { folder, waiter, isComplete } = source;
  const { follow = false, since = 0, tail, signal } = options;
  using _watcher = follow ? watchFolder(folder, () => waiter.wake()) : undefined;
  const start = tail === undefined ? positionSince(folder, since) : tailPosition(folder, tail);
  using reader = new LogReader(folder, start);
  for (;;) {
    // Before reading, so that what is written in between is read the next time.
    const isLast = !follow || isComplete();
    for (let lines = reader.read(); lines.length > 0; lines = reader.read()) {
      const [first] = lines;
      if (reader.takeGap() && first) yield { ...first, stream: "stderr", text: gapText, partial: false };
      for (const line of lines) {
        signal?.throwIfAborted();
        if (line.time >= since) yield line;
      }
      await nextTurn();
    }
    if (isLast) return;
    await waiter.next(longestWait, signal);
  }
}

function watchFolder(folder: string, changed: () => void): Disposable {
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(folder, { persistent: false }, changed);
    watcher.on("error", changed);
  } catch {
    // No such attempt, or no more watches permitted.
  }
  return { [Symbol.dispose]: () => watcher?.close() };
}
