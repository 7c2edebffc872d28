import type { KubeObject } from "../../model/core.js";
import { cellText } from "../terminal/columns.js";
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
}

/** Rows of a server's table as text, the header first. */
export function tableRows(table: Table, options: TableTextOptions): readonly (readonly string[])[] {
  const rows = table.rows.map((row) => rowText(row, table.columnDefinitions, options));
  return options.headers ? [titles(table.columnDefinitions, options), ...rows] : rows;
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
): string[] {
  const labels = object.metadata?.labels ?? {};
  const texts = cells.flatMap((cell, at) => {
    const column = definitions[at];
    if (column === undefined || !isVisible(column, options)) return [];
    return [at === 0 ? `${options.prefix ?? ""}${cellText(cell)}` : cellText(cell)];
  });
  return [
    ...(options.withNamespace ? [object.metadata?.namespace ?? ""] : []),
    ...texts,
    ...(options.labelColumns ?? []).map((label) => labels[label] ?? ""),
    ...(options.withLabels ? [labelText(labels)] : []),
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
