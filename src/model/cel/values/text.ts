/** Code points of a string, which is how CEL counts. */
export function codePoints(text: string): string[] {
  return Array.from(text);
}

const surrogate = /[\uD800-\uDFFF]/;

/** Number of code points. */
export function textSize(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let size = 0;
  for (const _ of text) size++;
  return size;
}

/** Compares strings by code points, like their UTF-8. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!surrogate.test(a) && !surrogate.test(b)) return a < b ? -1 : 1;
  const [left, right] = [codePoints(a), codePoints(b)];
  for (const [index, character] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const difference = (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return left.length === right.length ? 0 : -1;
}

/** Encodes UTF-8. */
export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Decodes UTF-8; undefined if it is invalid. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
