import { isJsonArray, isJsonObject, type Json } from "../object/json.js";

/** Strings that need no quotes: not like another YAML type, and without YAML syntax or control characters. */
const plain = /^(?:--?(?=\p{L}))?[\p{L}\p{N}_./$](?:[^\s:\p{C}]|:(?=\S)| (?=[^\s#]))*$/u;
const word = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
const numeric = /^[-+]?[0-9][0-9_:]*(?:\.[0-9_]*)?$/;
const date = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}/;
/** Characters that can move the cursor, reverse or hide text, and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const unprintableInBlock = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\u2028\u2029]/u;

/** Renders a value that fits on one line; undefined for non-empty containers. */
export function scalarText(value: Json): string | undefined {
  if (typeof value === "string") return stringText(value);
  if (isJsonArray(value)) return value.length === 0 ? "[]" : undefined;
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? "{}" : undefined;
  return String(value);
}

/** Renders a string as a YAML scalar on one line: plain where it is unambiguous, otherwise in double quotes. */
export function stringText(text: string): string {
  const bare =
    plain.test(text) &&
    !word.test(text) &&
    !numeric.test(text) &&
    !date.test(text) &&
    Number.isNaN(Number(text));
  return bare ? text : escapeText(JSON.stringify(text));
}

/** Escapes characters that a terminal would interpret. */
export function escapeText(text: string): string {
  return text.replaceAll(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

/** Multi-line string as a YAML block: header and lines. */
export interface TextBlock {
  readonly header: "|" | "|-" | "|+";
  readonly lines: readonly string[];
}

/** Converts a multi-line string to a block; undefined for other values and unprintable text. */
export function textBlock(value: Json): TextBlock | undefined {
  if (typeof value !== "string" || !value.includes("\n") || unprintableInBlock.test(value)) return undefined;
  if (!value.endsWith("\n")) return { header: "|-", lines: value.split("\n") };
  const header = value.endsWith("\n\n") || value === "\n" ? "|+" : "|";
  return { header, lines: value.slice(0, -1).split("\n") };
}

/** Values nested deeper are truncated: their indentation alone would fill the screen. */
const maxDepth = 200;

/**
 * Writes a value as lines of YAML. The first line starts with `lead`, which may contain a dash, and the
 * others with `indent`.
 */
export function writeYamlValue(
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
      writeYamlValue(item, `${first ? lead : indent}- `, deeper, write, depth + 1);
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

/** Writes a field; the lines of its value are indented by two more columns. */
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
    writeYamlValue(value, `${name} `, deeper, write, depth + 1);
  } else {
    write(name);
    writeYamlValue(value, deeper, deeper, write, depth + 1);
  }
}

/** Number of lines that a field or item takes. Uses an explicit stack for deep values. */
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
