import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
  type Pair,
} from "yaml";
import { ImportError, type ImportProblem } from "./import-problem.js";
import { substituteVariables } from "./substitute.js";

/** A YAML file that is read value by value. Problems are collected, so that all are reported at once. */
export class YamlReader {
  readonly problems: ImportProblem[] = [];
  readonly warnings: ImportProblem[] = [];
  readonly document: Document;
  readonly #lines = new LineCounter();
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #unset = new Set<string>();

  /** @throws {ImportError} if it is not YAML. */
  constructor(text: string, env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
    this.document = parseDocument(text, { lineCounter: this.#lines });
    const { errors } = this.document;
    if (errors.length === 0) return;
    throw new ImportError(
      errors.map(({ code, message, linePos }) => ({
        line: linePos?.[0].line ?? 1,
        column: linePos?.[0].col ?? 1,
        message:
          code === "MULTIPLE_DOCS"
            ? "a second YAML document begins here: a file to import has one; manifests are applied with fettle apply -f"
            : (message.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "") ?? message),
      })),
    );
  }

  root(): YamlValue {
    return new YamlValue(this, "", this.document.contents);
  }

  position(node: Node | null): { readonly line: number; readonly column: number } {
    const { line, col } = this.#lines.linePos(node?.range?.[0] ?? 0);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  /** Replaces variables in a text. */
  substitute(text: string, value: YamlValue): string | undefined {
    const { text: filled, unset, problem } = substituteVariables(text, this.#env);
    if (problem !== undefined) return value.fail(problem);
    for (const name of unset) {
      if (this.#unset.has(name)) continue;
      this.#unset.add(name);
      value.warn(`the variable ${name} is not set: it is replaced by an empty string`);
    }
    return filled;
  }

  variable(name: string): string | undefined {
    return this.#env[name];
  }
}

/**
 * Value in a YAML file. Methods that convert it report a problem and return undefined if it has another type; they return undefined
 * without a problem if there is no value.
 */
export class YamlValue {
  readonly path: string;
  readonly #reader: YamlReader;
  readonly #node: Node | null;
  /** Node of the name, for the position of values that are missing. */
  readonly #key: Node | null;

  constructor(reader: YamlReader, path: string, node: Node | null, key: Node | null = node) {
    this.path = path;
    this.#reader = reader;
    this.#node = isAlias(node) ? (node.resolve(reader.document) ?? null) : node;
    this.#key = key;
  }

  get isMissing(): boolean {
    return this.#node === null || (isScalar(this.#node) && this.#node.value === null);
  }

  get isMap(): boolean {
    return isMap(this.#node);
  }

  get isList(): boolean {
    return isSeq(this.#node);
  }

  get line(): number {
    return this.#reader.position(this.#key).line;
  }

  /** Reports a problem with this value. */
  fail(message: string): undefined {
    const node = this.isMissing ? this.#key : this.#node;
    this.#reader.problems.push({ ...this.#reader.position(node), message: this.#about(message) });
  }

  /** Reports that something of this value is not imported as it is. */
  warn(message: string): void {
    this.#reader.warnings.push({ ...this.#reader.position(this.#key), message: this.#about(message) });
  }

  #about(message: string): string {
    return this.path === "" ? message : `${this.path} ${message}`;
  }

  /** Fields of a map; empty if there is no value. */
  fields(): YamlFields {
    const fields = new Map<string, YamlValue>();
    if (!this.isMissing && !isMap(this.#node)) this.fail("must be a map of names and values");
    this.#addFields(fields, this.#node, new Set());
    return new YamlFields(this, this.#reader, fields);
  }

  /** Adds the fields of a map and of those that it merges by `<<`, whose fields do not replace others. */
  #addFields(fields: Map<string, YamlValue>, node: Node | null, seen: Set<Node>): void {
    if (!isMap(node) || seen.has(node)) return;
    seen.add(node);
    const merged: Node[] = [];
    for (const { key, value } of node.items as Pair<Node, Node | null>[]) {
      const name = isScalar(key) ? String(key.value) : "";
      if (name === "<<") {
        const target = resolved(value, this.#reader.document);
        merged.push(...(isSeq(target) ? (target.items as Node[]) : target === null ? [] : [target]));
        continue;
      }
      if (fields.has(name)) continue;
      const path = this.path === "" ? name : `${this.path}.${name}`;
      fields.set(name, new YamlValue(this.#reader, path, value, key));
    }
    for (const each of merged) this.#addFields(fields, resolved(each, this.#reader.document), seen);
  }

  /** Items of a list; empty if there is no value. */
  items(): readonly YamlValue[] {
    if (this.isMissing) return [];
    if (!isSeq(this.#node)) {
      this.fail("must be a list");
      return [];
    }
    return (this.#node.items as Node[]).map(
      (item, index) => new YamlValue(this.#reader, `${this.path}[${index}]`, item),
    );
  }

  /** Text, with variables replaced. Numbers and booleans are text as they are written. */
  text(): string | undefined {
    if (this.isMissing) return undefined;
    if (!isScalar(this.#node)) return this.fail("must be a text");
    const { value, source } = this.#node;
    if (typeof value !== "string") return source ?? String(value);
    const filled = this.#reader.substitute(value, this);
    return filled?.includes("\0")
      ? this.fail("contains a NUL character, which no process can receive")
      : filled;
  }

  number({ min = 0, integer = true } = {}): number | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    const number = text.trim() === "" ? NaN : Number(text);
    if (Number.isFinite(number) && number >= min && (!integer || Number.isSafeInteger(number))) return number;
    const what = integer ? "a whole number" : "a number";
    return this.fail(`is ${JSON.stringify(text)}: use ${what} from ${min}`);
  }

  boolean(): boolean | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    const found = new Map([
      ["true", true],
      ["yes", true],
      ["false", false],
      ["no", false],
    ]).get(text.toLowerCase());
    return found ?? this.fail(`is ${JSON.stringify(text)}: use true or false`);
  }

  /** One of several texts, converted. */
  choice<Result>(choices: Readonly<Record<string, Result>>): Result | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    if (Object.hasOwn(choices, text)) return choices[text];
    return this.fail(`is ${JSON.stringify(text)}: use ${listed(Object.keys(choices))}`);
  }

  /** Texts of a list. */
  texts(): readonly string[] {
    return this.items().map((item) => (item.isMissing ? "" : (item.text() ?? "")));
  }

  variable(name: string): string | undefined {
    return this.#reader.variable(name);
  }
}

/** Fields of a map. Those that nobody has read are the ones that are not supported. */
export class YamlFields {
  readonly value: YamlValue;
  readonly #reader: YamlReader;
  readonly #fields: ReadonlyMap<string, YamlValue>;
  readonly #read = new Set<string>();

  constructor(value: YamlValue, reader: YamlReader, fields: ReadonlyMap<string, YamlValue>) {
    this.value = value;
    this.#reader = reader;
    this.#fields = fields;
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  get(name: string): YamlValue {
    this.#read.add(name);
    const { path } = this.value;
    return (
      this.#fields.get(name) ?? new YamlValue(this.#reader, path === "" ? name : `${path}.${name}`, null)
    );
  }

  all(): readonly (readonly [string, YamlValue])[] {
    for (const name of this.#fields.keys()) this.#read.add(name);
    return [...this.#fields];
  }

  /** Marks fields as read that have no effect here and need no warning. */
  skip(...names: readonly string[]): void {
    for (const name of names) this.#read.add(name);
  }

  /** Warns about all fields that were not read. Names that begin with `x-` are for other programs. */
  warnUnread(reason: (name: string) => string): void {
    for (const [name, value] of this.#fields) {
      if (!this.#read.has(name) && !name.startsWith("x-")) value.warn(`is ignored: ${reason(name)}`);
    }
  }
}

function resolved(node: Node | null, document: Document): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}

export function listed(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
}
