/** Control and formatting characters. */
const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/**
 * Formats rows as a table like kubectl's: columns as wide as needed, three spaces in between.
 *
 * @example
 * columns([["NAME", "AGE"], ["hello", "5m"]]); // "NAME    AGE\nhello   5m\n"
 */
export function columns(rows: readonly (readonly string[])[], indent = ""): string {
  return withWidths(rows, widthsOf(rows), indent);
}

/** Table that grows: later rows keep the column widths of the earlier ones. */
export class GrowingColumns {
  #widths: readonly number[] = [];

  add(rows: readonly (readonly string[])[]): string {
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

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  return widths;
}

function withWidths(rows: readonly (readonly string[])[], widths: readonly number[], indent: string): string {
  return rows
    .map((row) => {
      const cells = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)));
      return `${indent}${cells.join("   ").trimEnd()}\n`;
    })
    .join("");
}
