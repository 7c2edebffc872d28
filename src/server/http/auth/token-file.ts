import { readFileSync, statSync } from "node:fs";
import { CsvError, parseCsv } from "./csv.js";
import { StaticTokens, type TokenEntry } from "./tokens.js";

/** A token file that cannot be used. The message says where and why, and shows no token. */
export class TokenFileError extends Error {
  override readonly name = "TokenFileError";
}

/** Reads kube-apiserver's format: `token,user,uid,"group1,group2"`, one line for each token. */
export function parseTokenFile(text: string, path: string): TokenEntry[] {
  const fail = (line: number, why: string): TokenFileError => {
    return new TokenFileError(`token file ${path}, line ${line}: ${why}`);
  };
  const lines = new Map<string, number>();
  return records(text, path).map(({ line, fields }) => {
    const [token = "", name = "", uid = "", groups = ""] = fields;
    if (fields.length < 3) {
      const found = `found ${fields.length}`;
      throw fail(line, `must have at least 3 columns (token, user name, user uid), ${found}`);
    }
    if (fields.length > 4) {
      throw fail(line, `has ${fields.length} columns; put several groups into quotes: "group1,group2"`);
    }
    if (token === "") throw fail(line, "the token is empty");
    if (/\s/.test(token)) throw fail(line, "the token has a space in it, which no header can carry");
    if (name === "") throw fail(line, "the user name is empty");
    const before = lines.get(token);
    if (before !== undefined) throw fail(line, `the token is the same as in line ${before}`);
    lines.set(token, line);
    const names = groups.split(",").map((group) => group.trim());
    return { token, user: { name, uid, groups: names.filter((group) => group !== "") } };
  });
}

function records(text: string, path: string): ReturnType<typeof parseCsv> {
  try {
    return parseCsv(text);
  } catch (error) {
    if (error instanceof CsvError) throw new TokenFileError(`token file ${path}, ${error.message}`);
    throw error;
  }
}

export interface TokenFileOptions {
  /** How often the file is looked at, in milliseconds. */
  readonly interval?: number | undefined;
  /** Told when the changed file cannot be used; the tokens of before stay. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Told when the changed file has been read. */
  readonly onReload?: (() => void) | undefined;
}

/** The tokens of a file, read again whenever it changes. Close it to stop looking. */
export class TokenFile extends StaticTokens {
  readonly #path: string;
  readonly #timer: NodeJS.Timeout;
  /** What the file looked like when it was last read, also if it could not be used. */
  #seen = "";

  /** Throws a {@link TokenFileError} when the file cannot be used. */
  constructor(path: string, { interval = 2000, onError, onReload }: TokenFileOptions = {}) {
    super();
    this.#path = path;
    this.reload();
    // Looking at it is slow to notice but sure: mounted files are swapped by changing a link somewhere above them.
    this.#timer = setInterval(() => {
      try {
        if (appearance(this.#path) === this.#seen) return;
        this.reload();
        onReload?.();
      } catch (error) {
        onError?.(error);
      }
    }, interval);
    this.#timer.unref();
  }

  /** Reads the file now. */
  reload(): void {
    this.#seen = appearance(this.#path);
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new TokenFileError(`token file ${this.#path} cannot be read: ${why}`, { cause: error });
    }
    this.set(parseTokenFile(text, this.#path));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** Changes whenever the file does; empty when there is none. Taken before reading: a change in between is seen later. */
function appearance(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}
