import { createHash } from "node:crypto";

/** Document with its hash and content type. */
export interface Document<Body extends string | Buffer = string> {
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

/** Entries of a map that are encoded in one step. */
const entriesPerStep = 20;

/** {@link documentOf} in steps. Maps with many entries, at the top level or below it, are encoded some entries at a time. */
export function* documentInSteps(
  content: Readonly<Record<string, unknown>>,
  contentType = "application/json",
): DocumentSteps<Document> {
  const body = yield* encodeMap(content, 2);
  const hash = createHash("sha256");
  const step = 2 ** 20;
  for (let start = 0; start < body.length; start += step) {
    hash.update(body.slice(start, start + step));
    yield;
  }
  return { body, hash: hash.digest("hex").toUpperCase(), contentType };
}

function* encodeMap(map: Readonly<Record<string, unknown>>, levels: number): DocumentSteps<string> {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(map)) {
    if (value === undefined) continue;
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    const text: string =
      levels > 0 && isMap
        ? yield* encodeMap(value as Record<string, unknown>, levels - 1)
        : JSON.stringify(value);
    parts.push(`${JSON.stringify(key)}:${text}`);
    if (parts.length % entriesPerStep === 0) yield;
  }
  return `{${parts.join(",")}}`;
}

/** Document that ends with a newline, like every compact JSON of the API; OpenAPI documents do not. */
export function discoveryDocument(content: unknown, contentType = "application/json"): Document {
  const { body, hash } = documentOf(content);
  return { body: `${body}\n`, hash, contentType };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").toUpperCase();
}
