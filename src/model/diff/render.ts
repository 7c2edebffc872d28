import picocolors from "picocolors";
import { isJsonObject, type Json } from "../object/json.js";
import { deltaOf, type DiffOptions } from "./changes.js";
import type { Delta, FieldDelta, ItemDelta } from "./delta.js";
import { runsOf } from "./fold.js";
import { textChanges } from "./text-changes.js";
import {
  type Block,
  blockOf,
  escapeText,
  lineCount,
  scalarText,
  stringText,
  writeField,
  writeValue,
} from "./yaml-text.js";

export interface RenderOptions extends DiffOptions {
  /** Colours for a terminal. */
  readonly color: boolean;
  /** How many unchanged fields, items or lines to show on either side of a change. */
  readonly context: number;
  /** A line above the differences, such as the name of the object. */
  readonly title?: string;
}

type Sign = "+" | "-" | " ";

/** A line of the text; the note, if any, stands faintly at its end. */
interface Line {
  readonly sign: Sign;
  readonly text: string;
  readonly note?: string;
}

interface Page {
  readonly lines: Line[];
  readonly context: number;
}

/** A field or an item among its neighbours; `show` writes it when there is a change in it. */
interface Entry {
  readonly delta: Delta;
  readonly kind: "field" | "item";
  /** What an unchanged one starts with: its name, or nothing for an item. */
  readonly name: string;
  show(): void;
}

/**
 * The differences between two documents as a person would want to read them: YAML with `-` before what goes
 * and `+` before what comes. What contains a change is always there, what is unchanged is there as far as
 * `context` says. Empty when there is no difference. A document that does not exist is undefined.
 *
 * @example
 * console.log(renderDiff(live, desired, { color: true, context: 2, ignore: ["metadata.managedFields"] }));
 */
export function renderDiff(from: Json | undefined, to: Json | undefined, options: RenderOptions): string {
  const delta = deltaOf(from, to, options.ignore);
  if (delta.kind === "same") return "";
  const page: Page = { lines: [], context: options.context };
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

function renderDocument(page: Page, delta: Delta): void {
  if (delta.kind === "object") renderFields(page, delta.fields, "");
  else if (delta.kind === "list") renderItems(page, delta.items, delta.key, "");
  else renderReplaced(page, delta, "", "", (value, write) => writeValue(value, "", "", write));
}

function renderFields(page: Page, fields: readonly FieldDelta[], indent: string): void {
  const entries = fields.map(({ key, delta }): Entry => {
    const name = `${stringText(key)}:`;
    return { delta, kind: "field", name, show: () => renderField(page, key, delta, indent) };
  });
  renderEntries(page, entries, indent);
}

function renderField(page: Page, key: string, delta: Delta, indent: string): void {
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

function renderItems(page: Page, items: readonly ItemDelta[], key: string | undefined, indent: string): void {
  const entries = items.map((item): Entry => {
    return { delta: item.delta, kind: "item", name: "-", show: () => renderItem(page, item, key, indent) };
  });
  renderEntries(page, entries, indent);
}

function renderItem(page: Page, item: ItemDelta, key: string | undefined, indent: string): void {
  const { delta } = item;
  const dash = `${indent}- `;
  const deeper = `${indent}  `;
  const position = { sign: " ", text: `${indent}-`, note: ` # [${item.to}]` } as const;
  if (delta.kind === "object") {
    // An unchanged field on the line of the dash says which item this is; without one, its position does.
    const head = delta.fields.find((field) => field.key === key) ?? delta.fields.find(isOneLine);
    if (head?.delta.kind === "same") {
      writeField(head.key, head.delta.value, dash, deeper, unchanged(page));
    } else {
      page.lines.push(position);
    }
    const rest = head?.delta.kind === "same" ? delta.fields.filter((field) => field !== head) : delta.fields;
    renderFields(page, rest, deeper);
  } else if (delta.kind === "list") {
    page.lines.push(position);
    renderItems(page, delta.items, delta.key, deeper);
  } else {
    renderReplaced(page, delta, dash, deeper, (value, write) => writeValue(value, dash, deeper, write));
  }
}

function isOneLine({ delta }: FieldDelta): boolean {
  return delta.kind === "same" && typeof delta.value !== "object" && lineCount(delta.value, "field") === 1;
}

/** The old value and the new one below it; of two texts with several lines, only the lines that differ. */
function renderReplaced(
  page: Page,
  delta: Delta,
  lead: string,
  indent: string,
  render: (value: Json, write: (line: string) => void) => void,
): void {
  const from = delta.kind === "remove" || delta.kind === "change" ? delta.from : undefined;
  const to = delta.kind === "add" || delta.kind === "change" ? delta.to : undefined;
  const before = from === undefined ? undefined : blockOf(from);
  const after = to === undefined ? undefined : blockOf(to);
  if (before !== undefined && after !== undefined) return renderText(page, before, after, lead, indent);
  if (from !== undefined) render(from, (text) => page.lines.push({ sign: "-", text }));
  if (to !== undefined) render(to, (text) => page.lines.push({ sign: "+", text }));
}

function renderText(page: Page, from: Block, to: Block, lead: string, indent: string): void {
  if (from.header === to.header) {
    page.lines.push({ sign: " ", text: lead + to.header });
  } else {
    page.lines.push({ sign: "-", text: lead + from.header }, { sign: "+", text: lead + to.header });
  }
  const lines = textChanges(from.lines, to.lines);
  for (const { start, end, shown } of runsOf(
    lines.map((line) => line.sign !== " "),
    page.context,
  )) {
    if (!shown && end - start > 1) {
      page.lines.push(foldOf(end - start, "line", indent));
      continue;
    }
    for (const { sign, line } of lines.slice(start, end)) {
      page.lines.push({ sign, text: line === "" ? "" : indent + line });
    }
  }
}

/** Neighbours with at least one change among them: those in sight of one, and the others folded away. */
function renderEntries(page: Page, entries: readonly Entry[], indent: string): void {
  const changed = entries.map((entry) => entry.delta.kind !== "same");
  for (const { start, end, shown } of runsOf(changed, page.context)) {
    // A fold takes a line itself; a single entry can be named on it.
    if (!shown && end - start > 1) {
      page.lines.push(foldOf(end - start, entries[start]?.kind ?? "field", indent));
      continue;
    }
    for (const entry of entries.slice(start, end)) {
      if (entry.delta.kind !== "same") entry.show();
      else renderUnchanged(page, entry, entry.delta.value, indent, shown ? Math.max(2, page.context) : 1);
    }
  }
}

/** In full when it takes few lines, else its first one and how much follows. */
function renderUnchanged(page: Page, { kind, name }: Entry, value: Json, indent: string, most: number): void {
  const write = unchanged(page);
  const lines = lineCount(value, kind);
  const lead = `${indent}${name} `;
  const deeper = `${indent}  `;
  if (lines === 1 || lines <= most) {
    const sameLine = kind === "item" || scalarText(value) !== undefined;
    if (!sameLine) write(`${indent}${name}`);
    writeValue(value, sameLine ? lead : deeper, deeper, write);
    return;
  }
  const head = kind === "item" && isJsonObject(value) ? headOf(value) : undefined;
  const rest = kind === "item" && head === undefined ? lines : lines - 1;
  const text = head === undefined ? `${indent}${name}` : `${lead}${head}`;
  page.lines.push({
    sign: " ",
    text,
    note: ` … ${count(rest, head === undefined ? "unchanged line" : "more line")}`,
  });
}

/** The field that best says which item of a list this is: its first that takes one line. */
function headOf(value: { readonly [key: string]: Json }): string | undefined {
  const fields = Object.entries(value).filter(
    ([, field]) => typeof field !== "object" && blockOf(field) === undefined,
  );
  const [key, field] = fields.find(([key]) => key === "name") ?? fields[0] ?? [];
  return key === undefined || field === undefined ? undefined : `${stringText(key)}: ${scalarText(field)}`;
}

function foldOf(length: number, noun: string, indent: string): Line {
  return { sign: " ", text: indent, note: `… ${count(length, `unchanged ${noun}`)}` };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

const longestUnchanged = 120;
const halfPair = /[\ud800-\udbff]$/;

/** Writes lines that are only there for orientation, and so need not be complete. */
function unchanged(page: Page): (line: string) => void {
  return (line) => {
    if (line.length <= longestUnchanged) page.lines.push({ sign: " ", text: line });
    else {
      const text = line.slice(0, longestUnchanged).replace(halfPair, "");
      page.lines.push({ sign: " ", text, note: "…" });
    }
  };
}
