/** The characters of a text, each a code point: that is how CEL counts. */
export function codePoints(text: string): string[] {
  return Array.from(text);
}

const surrogate = /[\uD800-\uDFFF]/;

/** How many code points a text has. */
export function textSize(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let size = 0;
  for (const _ of text) size++;
  return size;
}

/** Orders texts by code points, as their UTF-8 does. */
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

/** A text as UTF-8. */
export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** What UTF-8 says; undefined when it is none. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
