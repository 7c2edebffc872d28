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

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").toUpperCase();
}
