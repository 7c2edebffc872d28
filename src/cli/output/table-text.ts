import type { KubeObject } from "../../model/core.js";
import { heldCell, type HeldObjects } from "../objects/held-objects.js";
import { readyCell } from "../objects/readiness.js";
import { cellText, headerRow, type TableCell, type Colors } from "../terminal/columns.js";
import type { Table, TableColumn, TableRow } from "./server-table.js";

export interface TableTextOptions {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly withNamespace: boolean;
  readonly withLabels: boolean;
  /** Labels with a column of their own. */
  readonly labelColumns?: readonly string[] | undefined;
  /** Prefix of names in tables of several kinds: `site.demo.dev/`. */
  readonly prefix?: string | undefined;
  readonly paint: Colors;
  /** Objects that are marked as paused or given up, in a last column that is there only if it is needed. */
  readonly held?: HeldObjects | undefined;
}

/** Rows of a server's table as text, the header first. */
export function tableRows(table: Table, options: TableTextOptions): readonly (readonly TableCell[])[] {
  const rows = table.rows.map((row) => rowText(row, table.columnDefinitions, options));
  if (!options.headers) return rows;
  const isHeld = table.rows.some(({ object }) => (options.held?.statesOf(object).length ?? 0) > 0);
  const own = titles(table.columnDefinitions, options);
  const all = isHeld ? [...own, own.includes("STATE") ? "HELD" : "STATE"] : own;
  return [headerRow(all, options.paint), ...rows];
}

function titles(definitions: readonly TableColumn[], options: TableTextOptions): string[] {
  const visible = definitions.filter((column) => isVisible(column, options));
  return [
    ...(options.withNamespace ? ["NAMESPACE"] : []),
    ...visible.map(({ name }) => name.toUpperCase()),
    ...(options.labelColumns ?? []).map((label) => label.slice(label.lastIndexOf("/") + 1).toUpperCase()),
    ...(options.withLabels ? ["LABELS"] : []),
  ];
}

function rowText(
  { cells, object }: TableRow,
  definitions: readonly TableColumn[],
  options: TableTextOptions,
): readonly TableCell[] {
  const labels = object.metadata?.labels ?? {};
  const texts = cells.flatMap((cell, at) => {
    const column = definitions[at];
    if (column === undefined || !isVisible(column, options)) return [];
    const text = cellText(cell);
    if (at === 0) return [`${options.prefix ?? ""}${text}`];
    return [column.name === "Ready" ? readyCell(text, options.paint) : text];
  });
  return [
    ...(options.withNamespace ? [object.metadata?.namespace ?? ""] : []),
    ...texts,
    ...(options.labelColumns ?? []).map((label) => labels[label] ?? ""),
    ...(options.withLabels ? [labelText(labels)] : []),
    ...(options.held === undefined ? [] : [heldCell(options.held.statesOf(object), options.paint)]),
  ];
}

function isVisible({ priority }: TableColumn, { wide }: TableTextOptions): boolean {
  return wide || !priority;
}

/** Labels in one cell: `app=web,tier=front`. */
function labelText(labels: NonNullable<KubeObject["metadata"]["labels"]>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}
