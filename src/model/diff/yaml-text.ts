import { isJsonArray, isJsonObject, type Json } from "../object/json.js";

/** Texts that may stand without quotes: no look of another type, nothing that YAML or a terminal would act on. */
const plain = /^(?:--?(?=\p{L}))?[\p{L}\p{N}_./$](?:[^\s:\p{C}]|:(?=\S)| (?=[^\s#]))*$/u;
const word = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
const numeric = /^[-+]?[0-9][0-9_:]*(?:\.[0-9_]*)?$/;
const date = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}/;
/** What can move a cursor, turn text around or hide it, and half a surrogate pair. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const unprintableInBlock = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\u2028\u2029]/u;

/** A value that takes one line, or undefined for one with something inside. */
export function scalarText(value: Json): string | undefined {
  if (typeof value === "string") return stringText(value);
  if (isJsonArray(value)) return value.length === 0 ? "[]" : undefined;
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? "{}" : undefined;
  return String(value);
}

/** A text as a YAML scalar on one line: bare where nobody can misread it, else in double quotes. */
export function stringText(text: string): string {
  const bare =
    plain.test(text) &&
    !word.test(text) &&
    !numeric.test(text) &&
    !date.test(text) &&
    Number.isNaN(Number(text));
  return bare ? text : escapeText(JSON.stringify(text));
}

/** Replaces what a terminal would act on by its escape. */
export function escapeText(text: string): string {
  return text.replaceAll(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

/** A text of several lines: YAML's sign for how it ends, and its lines. */
export interface TextBlock {
  readonly header: "|" | "|-" | "|+";
  readonly lines: readonly string[];
}

/** The value as a block of lines; undefined when it is not a text that can be shown as one. */
export function textBlock(value: Json): TextBlock | undefined {
  if (typeof value !== "string" || !value.includes("\n") || unprintableInBlock.test(value)) return undefined;
  if (!value.endsWith("\n")) return { header: "|-", lines: value.split("\n") };
  const header = value.endsWith("\n\n") || value === "\n" ? "|+" : "|";
  return { header, lines: value.slice(0, -1).split("\n") };
}

/** Values nested deeper are cut off: their indentation alone would fill the screen. */
const maxDepth = 200;

/**
 * Writes a value as lines of YAML. The first line starts with `lead`, which may hold a dash, and every other
 * one with `indent`.
 */
export function writeValue(
  value: Json,
  lead: string,
  indent: string,
  write: (line: string) => void,
  depth = 0,
): void {
  const text = textBlock(value) === undefined ? scalarText(value) : undefined;
  if (text !== undefined) return write(lead + text);
  if (depth >= maxDepth) return write(`${lead}… (nested too deeply to show)`);
  const deeper = `${indent}  `;
  let first = true;
  if (isJsonArray(value)) {
    for (const item of value) {
      writeValue(item, `${first ? lead : indent}- `, deeper, write, depth + 1);
      first = false;
    }
  } else if (isJsonObject(value)) {
    for (const [key, field] of Object.entries(value)) {
      writeField(key, field, first ? lead : indent, indent, write, depth);
      first = false;
    }
  } else {
    const block = textBlock(value);
    write(lead + (block?.header ?? ""));
    for (const line of block?.lines ?? []) write(line === "" ? "" : indent + line);
  }
}

/** Writes a field; the lines of its value stand two columns further right than `indent`. */
export function writeField(
  key: string,
  value: Json,
  lead: string,
  indent: string,
  write: (line: string) => void,
  depth = 0,
): void {
  const name = `${lead}${stringText(key)}:`;
  const deeper = `${indent}  `;
  if (textBlock(value) !== undefined || scalarText(value) !== undefined) {
    writeValue(value, `${name} `, deeper, write, depth + 1);
  } else {
    write(name);
    writeValue(value, deeper, deeper, write, depth + 1);
  }
}

/** How many lines a field or item with this value takes, without walking deeper than the call stack allows. */
export function lineCount(value: Json, kind: "field" | "item"): number {
  let lines = 0;
  const stack: { readonly value: Json; readonly kind: "field" | "item" }[] = [{ value, kind }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const block = textBlock(next.value);
    if (block !== undefined) {
      lines += 1 + block.lines.length;
    } else if (scalarText(next.value) !== undefined) {
      lines += 1;
    } else {
      // An item shares its first line with the dash; a field has a line for its name.
      if (next.kind === "field") lines += 1;
      if (isJsonArray(next.value)) for (const item of next.value) stack.push({ value: item, kind: "item" });
      else if (isJsonObject(next.value)) {
        for (const field of Object.values(next.value)) stack.push({ value: field, kind: "field" });
      }
    }
  }
  return lines;
}
