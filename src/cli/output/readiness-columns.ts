import { formatAge, parseTime, type KubeObject } from "../../model/core.js";
import { readyCondition } from "../objects/readiness.js";
import type { Table, TableColumn } from "./server-table.js";

/** Column that is added to a server's table. */
export interface AddedColumn extends TableColumn {
  readonly valueOf: (object: KubeObject, now: number) => string;
}

const added: readonly AddedColumn[] = [
  { name: "Ready", type: "string", priority: 0, valueOf: (object) => readyCondition(object)?.status ?? "" },
  { name: "Reason", type: "string", priority: 0, valueOf: (object) => readyCondition(object)?.reason ?? "" },
  { name: "Age", type: "date", priority: 0, valueOf: ({ metadata }, now) => ageOf(metadata, now) },
];

/** Ready, Reason and Age, unless the table has them already or none of its objects has conditions. */
export function missingColumns({ columnDefinitions, rows }: Table): readonly AddedColumn[] {
  if (!rows.some(({ object }) => readyCondition(object) !== undefined)) return [];
  const names = new Set(columnDefinitions.map(({ name }) => name.toLowerCase()));
  return added.filter(({ name }) => !names.has(name.toLowerCase()));
}

/** Adds columns to a table; an Age that is there already stays the last one. */
export function withColumns(table: Table, columns: readonly AddedColumn[], now: number): Table {
  if (columns.length === 0) return table;
  const { columnDefinitions: definitions } = table;
  const at = definitions.at(-1)?.name === "Age" ? definitions.length - 1 : definitions.length;
  return {
    ...table,
    columnDefinitions: definitions.toSpliced(at, 0, ...columns),
    rows: table.rows.map(({ cells, object }) => ({
      object,
      cells: cells.toSpliced(at, 0, ...columns.map(({ valueOf }) => valueOf(object, now))),
    })),
  };
}

function ageOf({ creationTimestamp }: KubeObject["metadata"], now: number): string {
  return creationTimestamp ? formatAge(now - parseTime(creationTimestamp)) : "<unknown>";
}
