import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node, type Pair } from "yaml";
import type { Setting } from "./settings.js";
import { settings, shorthands } from "./settings.js";
import { substituteVariables } from "./substitute.js";

/** Value of a setting in a file. */
export interface FileValue {
  readonly setting: Setting;
  /** Path with names in place of `*`. */
  readonly path: string;
  readonly value: unknown;
  readonly line: number;
  readonly column: number;
  /** Names of the environment variables in it. */
  readonly variables: readonly string[];
}

export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Reads all values of a file, and all errors except invalid values. */
export function readConfigText(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): { readonly values: readonly FileValue[]; readonly problems: readonly Problem[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const reader = new Reader(lines, env);
  for (const { message, linePos } of document.errors) {
    const { line = 1, col = 1 } = linePos?.[0] ?? {};
    reader.problems.push({
      line,
      column: col,
      message: message.split("\n")[0]?.replace(/ at line.*$/, "") ?? message,
    });
  }
  const { contents } = document;
  if (reader.problems.length === 0 && contents !== null) reader.read(contents, [], []);
  return reader;
}

class Reader {
  readonly values: FileValue[] = [];
  readonly problems: Problem[] = [];
  readonly #lines: LineCounter;
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(lines: LineCounter, env: Readonly<Record<string, string | undefined>>) {
    this.#lines = lines;
    this.#env = env;
  }

  /** `pattern` is the path with `*` in place of names. */
  read(node: Node, path: readonly string[], pattern: readonly string[]): void {
    const key = pattern.join(".");
    const short = isScalar(node) ? shorthands.get(key) : undefined;
    const setting = settings.find((each) => each.path === (short ?? key));
    if (setting !== undefined) {
      const more = short === undefined ? [] : short.split(".").slice(pattern.length);
      this.#take(setting, [...path, ...more].join("."), node);
    } else if (isMap(node)) {
      for (const pair of node.items) this.#readPair(pair, path, pattern);
    } else if (!(isScalar(node) && node.value === null)) {
      const what = path.length === 0 ? "the configuration" : path.join(".");
      this.#report(node, `${what} must be a map with ${namesBelow(pattern)}`);
    }
  }

  #readPair({ key, value }: Pair, path: readonly string[], pattern: readonly string[]): void {
    const name = isScalar(key) ? String(key.value) : "";
    const step = namesIn(pattern).includes("*") ? "*" : name;
    if (step !== "*" && !namesIn(pattern).includes(name)) {
      const where = path.length === 0 ? "" : ` in ${path.join(".")}`;
      this.#report(
        key as Node,
        `unknown setting ${JSON.stringify(name)}${where}; the settings are ${namesBelow(pattern)}`,
      );
      return;
    }
    if (value !== null) this.read(value as Node, [...path, name], [...pattern, step]);
  }

  #take(setting: Setting, path: string, node: Node): void {
    const variables: string[] = [];
    const fill = (value: unknown): unknown => {
      if (typeof value !== "string") return value;
      const filled = substituteVariables(value, this.#env);
      variables.push(...filled.variables);
      return filled.text;
    };
    try {
      const value = isSeq(node)
        ? node.toJSON().map((item) => fill(item))
        : fill((node as { toJSON(): unknown }).toJSON());
      const { line, col } = this.#position(node);
      this.values.push({ setting, path, value, line, column: col, variables });
    } catch (error) {
      this.#report(node, `${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #report(node: Node, message: string): void {
    const { line, col } = this.#position(node);
    this.problems.push({ line, column: col, message });
  }

  #position(node: Node): { readonly line: number; readonly col: number } {
    return this.#lines.linePos(node.range?.[0] ?? 0);
  }
}

/** Names that are allowed below a path. */
function namesIn(pattern: readonly string[]): readonly string[] {
  const prefix = pattern.map((step) => `${step}.`).join("");
  const below = settings.filter(({ path }) => path.startsWith(prefix));
  return [...new Set(below.map(({ path }) => path.slice(prefix.length).split(".")[0] ?? ""))];
}

function namesBelow(pattern: readonly string[]): string {
  const names = namesIn(pattern);
  return names.includes("*") ? "the names of controllers" : names.join(", ");
}
