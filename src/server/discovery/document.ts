import { createHash } from "node:crypto";

/** What is sent to whoever asks for it, and what changes when it does. */
export interface Document<Body extends string | Buffer = string> {
  readonly body: Body;
  /** A hash of the content: the ETag (in quotes), and the `hash` of OpenAPI's addresses. */
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
