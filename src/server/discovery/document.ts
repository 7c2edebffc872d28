import { createHash } from "node:crypto";

/** Document with its hash and content type. */
export interface Document<Body extends string | Buffer = string> {
  readonly body: Body;
  /** Hash of the content, used as ETag and in the URLs of OpenAPI documents. */
  readonly hash: string;
  readonly contentType: string;
}

export function documentOf(content: unknown, contentType = "application/json"): Document {
  const body = JSON.stringify(content);
  return { body, hash: hashOf(body), contentType };
}

/** Document that ends with a newline, like every compact JSON of the API; OpenAPI documents do not. */
export function discoveryDocument(content: unknown, contentType = "application/json"): Document {
  const { body, hash } = documentOf(content);
  return { body: `${body}\n`, hash, contentType };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").toUpperCase();
}
