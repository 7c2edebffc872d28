import { readFileSync, statSync } from "node:fs";
import { pollFiles } from "../files/poll-files.js";
import { CsvError, parseCsv } from "./csv.js";
import { StaticTokens, type TokenEntry } from "./tokens.js";

/** Malformed or unreadable token file. The message has the line and the reason, but no token. */
export class TokenFileError extends Error {
  override readonly name = "TokenFileError";
}

/** Parses kube-apiserver's format: `token,user,uid,"group1,group2"`, one line for each token. */
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
    if (/\s/.test(token))
      throw fail(line, "the token contains whitespace, which is not possible in a header");
    if (name === "") throw fail(line, "the user name is empty");
    const duplicate = lines.get(token);
    if (duplicate !== undefined) throw fail(line, `the token is the same as in line ${duplicate}`);
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
  /** Milliseconds between checks for changes. Default: 2000. */
  readonly interval?: number | undefined;
  /** Called when the changed file is invalid; the previous tokens stay valid. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called when other users of the machine may read the file. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Called when the changed file has been read. */
  readonly onReload?: (() => void) | undefined;
}

/** Tokens of a file, which is read again when it changes, until `close`. */
export class TokenFile extends StaticTokens {
  readonly #path: string;
  readonly #stopPolling: () => void;
  readonly #onWarning: (text: string) => void;

  /** Throws a {@link TokenFileError} when the file is invalid. */
  constructor(path: string, { interval = 2000, onError, onWarning, onReload }: TokenFileOptions = {}) {
    super();
    this.#path = path;
    this.#onWarning = onWarning ?? (() => {});
    this.reload();
    this.#stopPolling = pollFiles([path], {
      interval,
      onChange: () => {
        this.reload();
        onReload?.();
      },
      onError: onError ?? (() => {}),
    });
  }

  /** Reads the file now. */
  reload(): void {
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new TokenFileError(`token file ${this.#path} cannot be read: ${why}`, { cause: error });
    }
    this.#checkMode();
    this.set(parseTokenFile(text, this.#path));
  }

  /**
   * Refuses a file that other users of the machine may change: they could add themselves. A file that they may read is only
   * warned about, since files mounted into containers often are.
   */
  #checkMode(): void {
    if (process.platform === "win32") return;
    const { mode } = statSync(this.#path);
    const wayOut = `run: chmod 600 ${this.#path}`;
    if (mode & 0o022) {
      throw new TokenFileError(`token file ${this.#path} can be changed by other users; ${wayOut}`);
    }
    if (mode & 0o044) this.#onWarning(`token file ${this.#path} can be read by other users; ${wayOut}`);
  }

  close(): void {
    this.#stopPolling();
  }
}
