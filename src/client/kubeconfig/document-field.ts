import { isMap, isNode, isSeq, LineCounter, parseDocument, type Document } from "yaml";
import { KubeconfigError } from "./kubeconfig-error.js";

type Step = string | number;

/** Field of a document: its value, and its position for errors. */
export class DocumentField {
  readonly #text: DocumentText;
  readonly #path: readonly Step[];
  readonly value: unknown;

  constructor(text: DocumentText, path: readonly Step[], value: unknown) {
    this.#text = text;
    this.#path = path;
    this.value = value;
  }

  /** File and line. */
  get where(): string {
    return this.#text.where(this.#path);
  }

  field(name: string): DocumentField {
    const record = this.record();
    const value = record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
    return new DocumentField(this.#text, [...this.#path, name], value);
  }

  record(): Readonly<Record<string, unknown>> | undefined {
    if (this.value === undefined || this.value === null) return undefined;
    if (typeof this.value !== "object" || Array.isArray(this.value) || Buffer.isBuffer(this.value)) {
      this.#mustBe("a map");
    }
    return this.value as Readonly<Record<string, unknown>>;
  }

  fields(): DocumentField[] {
    return Object.keys(this.record() ?? {}).map((name) => this.field(name));
  }

  get name(): string {
    return String(this.#path.at(-1) ?? "");
  }

  list(): DocumentField[] {
    if (this.value === undefined || this.value === null) return [];
    if (!Array.isArray(this.value)) this.#mustBe("a list");
    return this.value.map((item, index) => new DocumentField(this.#text, [...this.#path, index], item));
  }

  /** An empty string counts as missing. */
  string(): string | undefined {
    if (this.value === undefined || this.value === null || this.value === "") return undefined;
    if (typeof this.value !== "string") this.#mustBe("text", "; put it in quotes");
    return this.value;
  }

  boolean(): boolean {
    if (this.value === undefined || this.value === null) return false;
    if (typeof this.value !== "boolean") this.#mustBe("true or false");
    return this.value;
  }

  base64(): Buffer | undefined {
    const text = this.string()?.replace(/[\r\n]/g, "");
    if (text === undefined) return undefined;
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
      this.fail("is not base64; when it is a file's path, the field's name has no -data at the end");
    }
    return Buffer.from(text, "base64");
  }

  fail(problem: string): never {
    const path = this.#path.map((step, index) =>
      typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${step}`,
    );
    throw new KubeconfigError(`${this.where}: ${path.join("") || "the document"} ${problem}`);
  }

  #mustBe(expected: string, wayOut = ""): never {
    const { value } = this;
    const found = Array.isArray(value)
      ? "a list"
      : typeof value === "object"
        ? "a map"
        : typeof value === "string"
          ? "text"
          : typeof value === "boolean"
            ? "true or false"
            : "a number";
    this.fail(`must be ${expected}, not ${found}${found === "a list" || found === "a map" ? "" : wayOut}`);
  }
}

/** Reads YAML as kubectl does: version 1.1, the first document, the last of several equal keys. */
export function parseDocumentField(text: string, file: string): DocumentField {
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ""), {
    version: "1.1",
    // As in Go's YAML, 12:30 and dates stay strings.
    customTags: (tags) =>
      tags.filter(
        (tag) =>
          typeof tag === "string" ||
          (tag.tag !== timestampTag && !("format" in tag && tag.format === "TIME")),
      ),
    uniqueKeys: false,
    intAsBigInt: true,
    prettyErrors: false,
    lineCounter: lines,
  });
  const error = document.errors.find(({ code }) => code !== "MULTIPLE_DOCS");
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new KubeconfigError(`${file}:${line}:${col}: this is not YAML: ${error.message}`, { cause: error });
  }
  const place = new DocumentText(file, document, lines);
  try {
    return new DocumentField(place, [], document.toJS() as unknown);
  } catch (error) {
    // An alias without an anchor, or an alias bomb.
    throw new KubeconfigError(`${file}: this is not YAML: ${(error as Error).message}`, { cause: error });
  }
}

const timestampTag = "tag:yaml.org,2002:timestamp";

class DocumentText {
  readonly #file: string;
  readonly #document: Document;
  readonly #lines: LineCounter;

  constructor(file: string, document: Document, lines: LineCounter) {
    this.#file = file;
    this.#document = document;
    this.#lines = lines;
  }

  /** Deepest node on a path that exists in the document; a missing or merged field has the position of its parent. */
  where(path: readonly Step[]): string {
    let node: unknown = this.#document.contents;
    for (const step of path) {
      const next: unknown = isMap(node) || isSeq(node) ? node.get(step, true) : undefined;
      if (!isNode(next) || next.range === undefined || next.range === null) break;
      node = next;
    }
    const offset = isNode(node) ? node.range?.[0] : undefined;
    return offset === undefined ? this.#file : `${this.#file}:${this.#lines.linePos(offset).line}`;
  }
}
