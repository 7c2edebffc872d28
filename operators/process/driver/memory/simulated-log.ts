import type { LogLine, LogOptions } from "../driver.js";

/** Longest piece of a line that is stored as one entry, as in the real log. */
const maxPiece = 16 * 1024;

/** Log of a simulated attempt. */
export class SimulatedLog {
  readonly lines: LogLine[] = [];
  #ended = false;
  #wake: (() => void)[] = [];

  /** Appends lines; long ones in pieces. */
  append(time: number, stream: LogLine["stream"], text: string): void {
    const bytes = new TextEncoder().encode(text);
    for (let start = 0; start === 0 || start < bytes.length; start += maxPiece) {
      const piece = bytes.slice(start, start + maxPiece);
      this.lines.push({ time, stream, text: piece, partial: start + maxPiece < bytes.length });
    }
    this.#notify();
  }

  /** No more lines follow. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  async *read({ follow = false, since = 0, tail, signal }: LogOptions): AsyncIterable<LogLine> {
    let next = tail === undefined ? 0 : tailStart(this.lines, tail);
    for (;;) {
      while (next < this.lines.length) {
        const line = this.lines[next++];
        if (line !== undefined && line.time >= since) yield line;
        signal?.throwIfAborted();
      }
      if (!follow || this.#ended) return;
      await this.#changed(signal);
    }
  }

  #changed(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(signal?.reason);
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      this.#wake.push(() => {
        signal?.removeEventListener("abort", abort);
        resolve();
      });
    });
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const each of wake) each();
  }
}

/** Index of the entry at which the last `count` lines begin; a line may have several entries. */
function tailStart(lines: readonly LogLine[], count: number): number {
  let missing = count;
  for (let index = lines.length - 1; index >= 0; index--) {
    if (lines[index]?.partial === false && missing-- === 0) return index + 1;
  }
  return count === 0 ? lines.length : 0;
}
