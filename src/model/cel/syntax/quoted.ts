import { controlCharacters } from "../../object/quote.js";
import { encodeUtf8 } from "../values/text.js";

const escapes =
  /\\(?:([abfnrtv"'\\?`])|([0-3][0-7][0-7])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/gu;

/** Content of a literal without prefix and quotes. */
function inside(literal: string): { readonly text: string; readonly raw: boolean } {
  const raw = /^[rR]/.test(literal);
  const quoted = (raw ? literal.slice(1) : literal).replaceAll(/\r\n?/g, "\n");
  const width = quoted.startsWith('"""') || quoted.startsWith("'''") ? 3 : 1;
  return { text: quoted.slice(width, quoted.length - width), raw };
}

/** Parses a string literal; undefined if an escape is invalid. */
export function readString(literal: string): string | undefined {
  const { text, raw } = inside(literal);
  if (raw) return text;
  let fault = false;
  const result = text.replaceAll(escapes, (_, plain, octal, hex, short, long) => {
    if (plain !== undefined) return controlCharacters.get(plain as string) ?? (plain as string);
    const digits = (hex ?? short ?? long) as string | undefined;
    const code =
      octal === undefined ? Number.parseInt(digits ?? "", 16) : Number.parseInt(octal as string, 8);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      fault = true;
      return "";
    }
    return String.fromCodePoint(code);
  });
  return fault ? undefined : result;
}

/** Parses a bytes literal. Here `\x` and octal escapes are bytes, and Unicode escapes are not allowed. */
export function readBytes(literal: string): Uint8Array | undefined {
  const { text, raw } = inside(literal.slice(1));
  if (raw) return encodeUtf8(text);
  const bytes: number[] = [];
  const append = (part: string): void => {
    for (const byte of encodeUtf8(part)) bytes.push(byte);
  };
  let from = 0;
  for (const match of text.matchAll(escapes)) {
    append(text.slice(from, match.index));
    const [whole, plain, octal, hex, short, long] = match;
    if (short !== undefined || long !== undefined) return undefined;
    if (plain !== undefined) append(controlCharacters.get(plain) ?? plain);
    else bytes.push(octal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(octal, 8));
    from = match.index + whole.length;
  }
  append(text.slice(from));
  return Uint8Array.from(bytes);
}
