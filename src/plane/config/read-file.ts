import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from "yaml";
import { nearest } from "../../model/object/nearest.js";
import type { Setting } from "./setting.js";
import { pathText, patternOf, type ConfigPath } from "./setting-path.js";
import { settings, shorthands } from "./settings.js";
import { substituteVariables } from "./substitute.js";

/** Position in a file; both numbers count from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** Value of a setting in a file. */
export interface FileValue extends Position {
  readonly setting: Setting;
  readonly path: ConfigPath;
  readonly value: unknown;
  /** Names of the environment variables in it. */
  readonly variables: readonly string[];
  /** Value as it is written, if there are variables in it and it is not a list. */
  readonly written?: string | undefined;
}

interface Problem extends Position {
  readonly message: string;
}

/** A list or map on the way to settings: a section, an item, a named part. */
export interface PresentPart extends Position {
  readonly path: ConfigPath;
  /** Set if there is nothing in it. */
  readonly empty?: "list" | "map" | undefined;
  /** Path with `*` and `[]` in place of names and positions. */
  readonly pattern: string;
}

interface ConfigText {
  readonly values: readonly FileValue[];
  readonly parts: readonly PresentPart[];
  readonly problems: readonly Problem[];
}

const patterns = new Map(settings.map((setting) => [patternOf(setting.path).join("."), setting]));

/** Reads all values of a file, and all errors except invalid values. */
export function readConfigText(text: string, env: Readonly<Record<string, string | undefined>>): ConfigText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const reader = new Reader(document, lines, env);
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

class Reader implements ConfigText {
  readonly values: FileValue[] = [];
  readonly parts: PresentPart[] = [];
  readonly problems: Problem[] = [];
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(document: Document, lines: LineCounter, env: Readonly<Record<string, string | undefined>>) {
    this.#document = document;
    this.#lines = lines;
    this.#env = env;
  }

  /** `pattern` is the path with `*` and `[]` in place of names and positions. */
  read(given: Node, path: ConfigPath, pattern: readonly string[]): void {
    const node = isAlias(given) ? given.resolve(this.#document) : given;
    if (node === undefined) return;
    const key = pattern.join(".");
    const short = isScalar(node) ? shorthands.get(key) : undefined;
    const setting = patterns.get(short ?? key);
    const deep = patterns.get(`${key}.**`);
    // A value that may have options is a map then.
    const hasOptions = isMap(node) && namesIn(pattern).length > 0;
    if (setting !== undefined && !hasOptions) {
      const more = short === undefined ? [] : short.split(".").slice(pattern.length);
      this.#take(setting, [...path, ...more], node);
    } else if (deep !== undefined) this.#takeTree(deep, path, node);
    else if (isScalar(node) && node.value === null && pattern.at(-1) !== "[]")
      this.#present(node, path, key, "map");
    else if (namesIn(pattern).includes("[]")) this.#readItems(node, path, pattern);
    else if (isMap(node)) this.#readMap(node, path, pattern);
    else {
      const what = path.length === 0 ? "the configuration" : pathText(path);
      this.#report(node, `${what} must be a map with ${namesBelow(pattern)}`);
    }
  }

  #present(node: Node, path: ConfigPath, pattern: string, empty: PresentPart["empty"]): void {
    this.parts.push({ path, pattern, empty, ...this.#position(node) });
  }

  #readItems(node: Node, path: ConfigPath, pattern: readonly string[]): void {
    if (!isSeq(node)) {
      this.#report(node, `${pathText(path)} must be a list of maps with ${namesBelow([...pattern, "[]"])}`);
      return;
    }
    this.#present(node, path, pattern.join("."), node.items.length === 0 ? "list" : undefined);
    const itemPattern = [...pattern, "[]"];
    for (const [index, item] of node.items.entries()) this.read(item as Node, [...path, index], itemPattern);
  }

  #readMap(node: Node, path: ConfigPath, pattern: readonly string[]): void {
    if (!isMap(node)) return;
    this.#present(node, path, pattern.join("."), node.items.length === 0 ? "map" : undefined);
    const names = namesIn(pattern);
    const given = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : "";
      given.add(name);
      const step = names.includes("*") ? "*" : name;
      if (step !== "*" && !names.includes(name)) this.#reportUnknown(key as Node, name, path, pattern);
      else if (value !== null) this.read(value as Node, [...path, name], [...pattern, step]);
    }
    for (const name of names) {
      const below = [...pattern, name].join(".");
      const setting = patterns.get(below) ?? patterns.get(`${below}.[]`);
      const isMissing = setting?.isRequired === true && !given.has(name);
      if (isMissing) this.#report(node, `${pathText(path)}: ${name} is missing`);
    }
  }

  #reportUnknown(key: Node, name: string, path: ConfigPath, pattern: readonly string[]): void {
    const where = path.length === 0 ? "" : ` in ${pathText(path)}`;
    const meant = nearest(name, namesIn(pattern));
    const hint = meant === undefined ? "the" : `did you mean ${meant}? The`;
    this.#report(
      key,
      `unknown setting ${JSON.stringify(name)}${where}; ${hint} settings are ${namesBelow(pattern)}`,
    );
  }

  /** Takes everything below a node, each value with its own path. */
  #takeTree(setting: Setting, path: ConfigPath, given: Node): void {
    const node = isAlias(given) ? given.resolve(this.#document) : given;
    if (isMap(node) && node.items.length > 0) {
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : "";
        if (value !== null) this.#takeTree(setting, [...path, name], value as Node);
      }
    } else if (isSeq(node) && node.items.length > 0) {
      for (const [index, item] of node.items.entries())
        this.#takeTree(setting, [...path, index], item as Node);
    } else if (node !== undefined) this.#take(setting, path, node);
  }

  #take(setting: Setting, path: ConfigPath, node: Node): void {
    const variables: string[] = [];
    const fill = (value: unknown): unknown => {
      if (typeof value !== "string") return value;
      const filled = substituteVariables(value, this.#env);
      variables.push(...filled.variables);
      return filled.text;
    };
    try {
      const plain: unknown = node.toJS(this.#document);
      const value: unknown = Array.isArray(plain) ? plain.map((item) => fill(item)) : fill(plain);
      const written = variables.length > 0 && typeof plain === "string" ? plain : undefined;
      this.values.push({ setting, path, value, ...this.#position(node), variables, written });
    } catch (error) {
      this.#report(node, `${pathText(path)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #report(node: Node, message: string): void {
    this.problems.push({ ...this.#position(node), message });
  }

  #position(node: Node): Position {
    const { line, col } = this.#lines.linePos(node.range?.[0] ?? 0);
    return { line, column: col };
  }
}

/** Names that are allowed below a pattern: `[]` for a list. */
function namesIn(pattern: readonly string[]): readonly string[] {
  const prefix = pattern.map((step) => `${step}.`).join("");
  const below = [...patterns.keys()].filter((path) => path.startsWith(prefix));
  return [...new Set(below.map((path) => path.slice(prefix.length).split(".")[0] ?? ""))];
}

function namesBelow(pattern: readonly string[]): string {
  const names = namesIn(pattern);
  if (!names.includes("*")) return names.join(", ");
  return pattern[0] === "controllers" ? "the names of controllers" : "any names";
}
