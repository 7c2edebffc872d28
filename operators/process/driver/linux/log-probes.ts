import { setImmediate as nextTurn } from "node:timers/promises";
import { logPattern } from "../log-pattern.js";
import { LogReader } from "./log-files.js";

interface Search {
  readonly reader: LogReader;
  found: boolean;
}

/** Looks for lines in logs; every line is read once per pattern. */
export class LogProbes {
  readonly #searches = new Map<string, Search>();

  async probe(folder: string, pattern: string, signal: AbortSignal): Promise<string | undefined> {
    const { matches, fault } = logPattern(pattern);
    if (fault !== undefined) return fault;
    const key = `${folder} ${pattern}`;
    const search = this.#searches.get(key) ?? { reader: new LogReader(folder), found: false };
    this.#searches.set(key, search);
    while (!search.found) {
      const lines = search.reader.read();
      if (lines.length === 0) return `no line of the log matches ${pattern}`;
      search.found = lines.some(({ text }) => matches(Buffer.from(text).toString()));
      signal.throwIfAborted();
      await nextTurn();
    }
    search.reader[Symbol.dispose]();
    return undefined;
  }

  /** Ends the searches in folders that begin with a path; all without one. */
  forget(path = ""): void {
    for (const [key, { reader }] of this.#searches) {
      if (!key.startsWith(path)) continue;
      reader[Symbol.dispose]();
      this.#searches.delete(key);
    }
  }
}
