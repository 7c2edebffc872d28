import { createHash } from "node:crypto";

/** Document with its hash and content type. The body of a large one is in chunks, as it is sent. */
export interface Document<Body extends string | readonly Buffer[] = string> {
  readonly body: Body;
  /** Hash of the content, used as ETag and in the URLs of OpenAPI documents. */
  readonly hash: string;
  readonly contentType: string;
}

/** Making a document of many kinds, with yields between its steps, so that other requests can be handled there. */
export type DocumentSteps<Made> = Generator<void, Made>;

export function documentOf(content: unknown, contentType = "application/json"): Document {
  const body = JSON.stringify(content);
  return { body, hash: hashOf(body), contentType };
}

/**
 * Map whose entries are made one by one while it is encoded, so that a document of many kinds is never in memory as a whole. An entry
 * may depend on entries before it.
 */
export type LazyMap = () => Iterable<readonly [key: string, value: unknown]>;

/** Map of a document: entries, or maps that are made while it is encoded. */
export type LazyContent = Readonly<Record<string, unknown>>;

/** Characters that are encoded in one step, and sent in one write. */
const chunkLength = 64 * 1024;

/** {@link documentOf} in steps, and in chunks. */
export function* documentInSteps(
  content: LazyContent,
  contentType = "application/json",
): DocumentSteps<Document<readonly Buffer[]>> {
  const hash = createHash("sha256");
  const body: Buffer[] = [];
  let text = "";
  const flush = (): void => {
    const chunk = Buffer.from(text);
    hash.update(chunk);
    body.push(chunk);
    text = "";
  };
  for (const part of partsOf(Object.entries(content))) {
    text += part;
    if (text.length < chunkLength) continue;
    flush();
    yield;
  }
  flush();
  return { body, hash: hash.digest("hex").toUpperCase(), contentType };
}

/** JSON of a map, an entry at a time. */
function* partsOf(entries: ReturnType<LazyMap>): Generator<string, void> {
  let separator = "{";
  for (const [key, value] of entries) {
    if (value === undefined) continue;
    const start = `${separator}${JSON.stringify(key)}:`;
    separator = ",";
    if (typeof value === "function") {
      yield start;
      yield* partsOf((value as LazyMap)());
    } else yield start + JSON.stringify(value);
  }
  yield separator === "{" ? "{}" : "}";
}

/** Document that ends with a newline, like every compact JSON of the API; OpenAPI documents do not. */
export function discoveryDocument(content: unknown, contentType = "application/json"): Document {
  const { body, hash } = documentOf(content);
  return { body: `${body}\n`, hash, contentType };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").toUpperCase();
}
