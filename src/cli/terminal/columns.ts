/** Control and formatting characters. */
const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Functions that color text; without colors they return it unchanged. */
export type Colors = Readonly<
  Record<
    "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "gray",
    (text: string) => string
  >
>;

/** TableCell of a table, with the color of its text. */
export type TableCell = string | { readonly text: string; readonly paint: (text: string) => string };

/**
 * Formats rows as a table like kubectl's: columns as wide as needed, three spaces in between.
 *
 * @example
 * columns([["NAME", "AGE"], ["hello", "5m"]]); // "NAME    AGE\nhello   5m\n"
 */
export function columns(rows: readonly (readonly TableCell[])[], indent = ""): string {
  return withWidths(rows, widthsOf(rows), indent);
}

/** Header of a table: dimmed on a terminal. */
export function headerRow(titles: readonly string[], { dim }: Colors): readonly TableCell[] {
  return titles.map((text) => ({ text, paint: dim }));
}

/** Table that grows: later rows keep the column widths of the earlier ones. */
export class GrowingColumns {
  #widths: readonly number[] = [];

  add(rows: readonly (readonly TableCell[])[]): string {
    const needed = widthsOf(rows);
    const most = Math.max(needed.length, this.#widths.length);
    this.#widths = Array.from({ length: most }, (_, at) => Math.max(needed[at] ?? 0, this.#widths[at] ?? 0));
    return withWidths(rows, this.#widths, "");
  }
}

/** Value of a cell on one line, with control characters escaped. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const [line = ""] = text.split("\n", 1);
  const escaped = line.replaceAll(unprintable, (sign) => JSON.stringify(sign).slice(1, -1));
  return line.length < text.trimEnd().length ? `${escaped}...` : escaped;
}

function widthsOf(rows: readonly (readonly TableCell[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, textOf(cell).length);
  }
  return widths;
}

function withWidths(
  rows: readonly (readonly TableCell[])[],
  widths: readonly number[],
  indent: string,
): string {
  return rows.map((row) => `${indent}${lineOf(row, widths)}\n`).join("");
}

/** Pads after painting, since the codes of a color have no width; nothing follows the last text. */
function lineOf(row: readonly TableCell[], widths: readonly number[]): string {
  const last = row.findLastIndex((cell) => textOf(cell) !== "");
  return row
    .slice(0, last + 1)
    .map((cell, at) => {
      const text = textOf(cell);
      const painted = typeof cell === "string" || text === "" ? text : cell.paint(text);
      return at === last ? painted.trimEnd() : painted + " ".repeat((widths[at] ?? 0) - text.length);
    })
    .join("   ");
}

function textOf(cell: TableCell): string {
  return typeof cell === "string" ? cell : cell.text;
}
