import picocolors from "picocolors";
import { isJsonObject, type Json } from "../object/json.js";
import { compareWithout, type DiffOptions } from "./changes.js";
import type { Delta, FieldDelta, ItemDelta } from "./delta.js";
import { visibleRanges } from "./fold.js";
import { diffLines } from "./text-changes.js";
import {
  type TextBlock,
  textBlock,
  escapeText,
  lineCount,
  scalarText,
  stringText,
  writeField,
  writeYamlValue,
} from "./yaml-text.js";

export interface RenderOptions extends DiffOptions {
  /** Use terminal colours. */
  readonly color: boolean;
  /** Number of unchanged fields, items or lines on either side of a change. */
  readonly context: number;
  /** Heading, such as the name of the object. */
  readonly title?: string;
}

type Sign = "+" | "-" | " ";

/** Line of output; the note is dimmed and follows the text. */
interface OutputLine {
  readonly sign: Sign;
  readonly text: string;
  readonly note?: string;
}

interface Output {
  readonly lines: OutputLine[];
  readonly context: number;
}

/** Field or item among its neighbours; `render` writes it if it contains a change. */
interface Entry {
  readonly delta: Delta;
  readonly kind: "field" | "item";
  /** Prefix of an unchanged entry: its name, or a dash for an item. */
  readonly name: string;
  render(): void;
}

/**
 * Renders the differences between two documents as YAML, with `-` before removed and `+` before added lines.
 * Everything that contains a change is included; unchanged parts as far as `context` says. Empty if there is
 * no difference. Undefined stands for a missing document.
 *
 * @example
 * console.log(renderDiff(live, desired, { color: true, context: 2, ignore: ["metadata.managedFields"] }));
 */
export function renderDiff(from: Json | undefined, to: Json | undefined, options: RenderOptions): string {
  const delta = compareWithout(from, to, options.ignore);
  if (delta.kind === "same") return "";
  const page: Output = { lines: [], context: options.context };
  renderDocument(page, delta);
  const colors = picocolors.createColors(options.color);
  const lines = page.lines.map(({ sign, text, note }) => {
    const line = text === "" && note === undefined ? sign.trimEnd() : `${sign} ${text}`;
    const paint = sign === "+" ? colors.green : sign === "-" ? colors.red : String;
    return paint(line) + (note === undefined ? "" : colors.dim(note));
  });
  if (options.title !== undefined) lines.unshift(colors.bold(escapeText(options.title)));
  return lines.join("\n");
}

function renderDocument(page: Output, delta: Delta): void {
  if (delta.kind === "object") renderFields(page, delta.fields, "");
  else if (delta.kind === "list") renderItems(page, delta.items, delta.key, "");
  else renderReplaced(page, delta, "", "", (value, write) => writeYamlValue(value, "", "", write));
}

function renderFields(page: Output, fields: readonly FieldDelta[], indent: string): void {
  const entries = fields.map(({ key, delta }): Entry => {
    const name = `${stringText(key)}:`;
    return { delta, kind: "field", name, render: () => renderField(page, key, delta, indent) };
  });
  renderEntries(page, entries, indent);
}

function renderField(page: Output, key: string, delta: Delta, indent: string): void {
  const name = `${indent}${stringText(key)}:`;
  const deeper = `${indent}  `;
  if (delta.kind === "object") {
    page.lines.push({ sign: " ", text: name });
    renderFields(page, delta.fields, deeper);
  } else if (delta.kind === "list") {
    page.lines.push({ sign: " ", text: name });
    renderItems(page, delta.items, delta.key, deeper);
  } else {
    renderReplaced(page, delta, `${name} `, deeper, (value, write) =>
      writeField(key, value, indent, indent, write),
    );
  }
}

function renderItems(
  page: Output,
  items: readonly ItemDelta[],
  key: string | undefined,
  indent: string,
): void {
  const entries = items.map((item): Entry => {
    return { delta: item.delta, kind: "item", name: "-", render: () => renderItem(page, item, key, indent) };
  });
  renderEntries(page, entries, indent);
}

function renderItem(page: Output, item: ItemDelta, key: string | undefined, indent: string): void {
  const { delta } = item;
  const dash = `${indent}- `;
  const deeper = `${indent}  `;
  const position = { sign: " ", text: `${indent}-`, note: ` # [${item.to}]` } as const;
  if (delta.kind === "object") {
    // An unchanged field on the line of the dash identifies the item; without one, its position does.
    const head = delta.fields.find((field) => field.key === key) ?? delta.fields.find(isOneLine);
    if (head?.delta.kind === "same") {
      writeField(head.key, head.delta.value, dash, deeper, contextWriter(page));
    } else {
      page.lines.push(position);
    }
    const rest = head?.delta.kind === "same" ? delta.fields.filter((field) => field !== head) : delta.fields;
    renderFields(page, rest, deeper);
  } else if (delta.kind === "list") {
    page.lines.push(position);
    renderItems(page, delta.items, delta.key, deeper);
  } else {
    renderReplaced(page, delta, dash, deeper, (value, write) => writeYamlValue(value, dash, deeper, write));
  }
}

function isOneLine({ delta }: FieldDelta): boolean {
  return delta.kind === "same" && typeof delta.value !== "object" && lineCount(delta.value, "field") === 1;
}

/** Renders the old value and the new one below it; for two multi-line strings, only the lines that differ. */
function renderReplaced(
  page: Output,
  delta: Delta,
  lead: string,
  indent: string,
  render: (value: Json, write: (line: string) => void) => void,
): void {
  const from = delta.kind === "remove" || delta.kind === "change" ? delta.from : undefined;
  const to = delta.kind === "add" || delta.kind === "change" ? delta.to : undefined;
  const before = from === undefined ? undefined : textBlock(from);
  const after = to === undefined ? undefined : textBlock(to);
  if (before !== undefined && after !== undefined) return renderText(page, before, after, lead, indent);
  if (from !== undefined) render(from, (text) => page.lines.push({ sign: "-", text }));
  if (to !== undefined) render(to, (text) => page.lines.push({ sign: "+", text }));
}

function renderText(page: Output, from: TextBlock, to: TextBlock, lead: string, indent: string): void {
  if (from.header === to.header) {
    page.lines.push({ sign: " ", text: lead + to.header });
  } else {
    page.lines.push({ sign: "-", text: lead + from.header }, { sign: "+", text: lead + to.header });
  }
  const lines = diffLines(from.lines, to.lines);
  for (const { start, end, visible } of visibleRanges(
    lines.map((line) => line.sign !== " "),
    page.context,
  )) {
    if (!visible && end - start > 1) {
      page.lines.push(foldLine(end - start, "line", indent));
      continue;
    }
    for (const { sign, line } of lines.slice(start, end)) {
      page.lines.push({ sign, text: line === "" ? "" : indent + line });
    }
  }
}

/** Renders neighbours of which at least one has changed, and folds those far from a change. */
function renderEntries(page: Output, entries: readonly Entry[], indent: string): void {
  const changed = entries.map((entry) => entry.delta.kind !== "same");
  for (const { start, end, visible } of visibleRanges(changed, page.context)) {
    // A fold takes one line, so a single entry is shown instead.
    if (!visible && end - start > 1) {
      page.lines.push(foldLine(end - start, entries[start]?.kind ?? "field", indent));
      continue;
    }
    for (const entry of entries.slice(start, end)) {
      if (entry.delta.kind !== "same") entry.render();
      else renderUnchanged(page, entry, entry.delta.value, indent, visible ? Math.max(2, page.context) : 1);
    }
  }
}

/** Renders it in full if it takes few lines, otherwise its first line and the number of hidden ones. */
function renderUnchanged(
  page: Output,
  { kind, name }: Entry,
  value: Json,
  indent: string,
  maxLines: number,
): void {
  const write = contextWriter(page);
  const lines = lineCount(value, kind);
  const lead = `${indent}${name} `;
  const deeper = `${indent}  `;
  if (lines === 1 || lines <= maxLines) {
    const sameLine = kind === "item" || scalarText(value) !== undefined;
    if (!sameLine) write(`${indent}${name}`);
    writeYamlValue(value, sameLine ? lead : deeper, deeper, write);
    return;
  }
  const head = kind === "item" && isJsonObject(value) ? summaryField(value) : undefined;
  const rest = kind === "item" && head === undefined ? lines : lines - 1;
  const text = head === undefined ? `${indent}${name}` : `${lead}${head}`;
  page.lines.push({
    sign: " ",
    text,
    note: ` … ${pluralize(rest, head === undefined ? "unchanged line" : "more line")}`,
  });
}

/** Field that best identifies a list item: `name`, or the first that fits on one line. */
function summaryField(value: { readonly [key: string]: Json }): string | undefined {
  const fields = Object.entries(value).filter(
    ([, field]) => typeof field !== "object" && textBlock(field) === undefined,
  );
  const [key, field] = fields.find(([key]) => key === "name") ?? fields[0] ?? [];
  return key === undefined || field === undefined ? undefined : `${stringText(key)}: ${scalarText(field)}`;
}

function foldLine(length: number, noun: string, indent: string): OutputLine {
  return { sign: " ", text: indent, note: `… ${pluralize(length, `unchanged ${noun}`)}` };
}

function pluralize(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

const maxContextLength = 120;
const halfPair = /[\ud800-\udbff]$/;

/** Writes context lines, truncated if they are long. */
function contextWriter(page: Output): (line: string) => void {
  return (line) => {
    if (line.length <= maxContextLength) page.lines.push({ sign: " ", text: line });
    else {
      const text = line.slice(0, maxContextLength).replace(halfPair, "");
      page.lines.push({ sign: " ", text, note: "…" });
    }
  };
}
