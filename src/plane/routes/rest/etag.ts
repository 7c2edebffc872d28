import { createHash } from "node:crypto";

/**
 * Entity tag of a document: its hash, so that it changes with what a client sees, and not with other fields of the object.
 */
export function etagOf(document: unknown): string {
  const hash = createHash("sha256").update(JSON.stringify(document)).digest("base64url");
  return `"${hash.slice(0, 22)}"`;
}

/** Tests an `If-Match` or `If-None-Match` header; `*` matches every document that exists. */
export function matchesEtag(header: string, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((each) => each.trim().replace(/^W\//, "") === etag);
}
