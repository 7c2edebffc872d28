/** Malformed JSON pointer. */
export class JsonPointerError extends Error {
  override readonly name = "JsonPointerError";
}

const badEscape = /~(?![01])/;
const escapes = /~[01]/g;
const special = /[~/]/;

/**
 * Parses an RFC 6901 pointer into unescaped keys and list positions. The empty pointer stands for the whole
 * document.
 *
 * @example
 * parseJsonPointer("/metadata/labels/app.kubernetes.io~1name");
 * // ["metadata", "labels", "app.kubernetes.io/name"]
 */
export function parseJsonPointer(pointer: string): string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) {
    throw new JsonPointerError(`JSON pointer ${quotePointer(pointer)} must be empty or start with "/"`);
  }
  const segments = pointer.slice(1).split("/");
  if (!pointer.includes("~")) return segments;
  const bad = pointer.search(badEscape);
  if (bad >= 0) {
    throw new JsonPointerError(
      `JSON pointer ${quotePointer(pointer)} has a "~" at position ${bad} without 0 or 1 after it: ` +
        `write "~0" for "~" and "~1" for "/"`,
    );
  }
  // Both escapes in one pass: "~01" is "~1", not "/".
  return segments.map((segment) => segment.replace(escapes, (escape) => (escape === "~0" ? "~" : "/")));
}

/**
 * Formats keys and list positions as an RFC 6901 pointer.
 *
 * @example
 * formatJsonPointer(["spec", "containers", 0, "image"]); // "/spec/containers/0/image"
 */
export function formatJsonPointer(segments: readonly (string | number)[]): string {
  let pointer = "";
  for (const segment of segments) {
    const text = String(segment);
    pointer += "/";
    pointer += special.test(text) ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text;
  }
  return pointer;
}

const maxQuoteLength = 200;

/** Quotes a pointer for an error message, truncated if it is long. */
export function quotePointer(pointer: string): string {
  return JSON.stringify(pointer.length > maxQuoteLength ? `${pointer.slice(0, maxQuoteLength)}…` : pointer);
}
