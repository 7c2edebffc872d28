const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const special = /[^\x20\x21\x23-\x5b\x5d-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}]|["\\]/gu;
const loneSurrogate = /[\uD800-\uDFFF]/gu;

/** Control characters by the letter that stands for them after a backslash, in Go and in CEL. */
export const controlCharacters: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);

/** Escapes of one letter, by the character that they stand for. */
export const shortEscapes: ReadonlyMap<string, string> = new Map([
  ...Array.from(controlCharacters, ([letter, character]) => [character, `\\${letter}`] as const),
  ['"', '\\"'],
  ["\\", "\\\\"],
]);

/**
 * Quotes a string like Go's `%q`, as Kubernetes' messages do: unprintable characters are escaped, letters of
 * any script are not.
 */
export function quote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return `"${wellFormed(text).replace(special, escape)}"`;
}

/** Replaces lone surrogates by the replacement character, as encoding to UTF-8 does. */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogate, "\uFFFD");
}

function escape(character: string): string {
  const short = shortEscapes.get(character);
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
