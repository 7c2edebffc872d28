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
  /** Put before names, where several kinds are shown: `site.demo.dev/`. */
  readonly prefix?: string | undefined;
}

/** The rows of a server's table as text, with the columns that were asked for; the first one has their titles. */
export function tableRows(table: Table, options: TableTextOptions): readonly (readonly string[])[] {
  const rows = table.rows.map((row) => rowText(row, table.columnDefinitions, options));
  return options.headers ? [titles(table.columnDefinitions, options), ...rows] : rows;
}

function titles(definitions: readonly TableColumn[], options: TableTextOptions): string[] {
  const shown = definitions.filter((column) => isShown(column, options));
  return [
    ...(options.withNamespace ? ["NAMESPACE"] : []),
    ...shown.map(({ name }) => name.toUpperCase()),
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
  const shown = cells.flatMap((cell, at) => {
    const column = definitions[at];
    if (column === undefined || !isShown(column, options)) return [];
    return [at === 0 ? `${options.prefix ?? ""}${cellText(cell)}` : cellText(cell)];
  });
  return [
    ...(options.withNamespace ? [object.metadata?.namespace ?? ""] : []),
    ...shown,
    ...(options.labelColumns ?? []).map((label) => labels[label] ?? ""),
    ...(options.withLabels ? [labelText(labels)] : []),
  ];
}

function isShown({ priority }: TableColumn, { wide }: TableTextOptions): boolean {
  return wide || !priority;
}

/** Labels in one cell: `app=web,tier=front`. */
function labelText(labels: NonNullable<KubeObject["metadata"]["labels"]>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}
