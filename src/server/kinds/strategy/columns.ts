import { formatAge, type KubeObject } from "../../../model/core.js";
import type { TableColumn } from "../../resources/resource-type.js";

/** What a column is besides its name, description and cell. */
type Extra = Partial<Pick<TableColumn, "type" | "format" | "priority">>;

/** A column of text that is always shown, unless told. */
export function column(
  name: string,
  description: string,
  cell: TableColumn["cell"],
  { type = "string", format, priority = 0 }: Extra = {},
): TableColumn {
  return { name, type, format, description, priority, cell };
}

/** The column by which kubectl knows what a row is about. */
export function nameColumn(extra: Extra = {}): TableColumn {
  const description = "Names the object among those of its kind in its namespace.";
  return column("Name", description, ({ metadata }) => metadata.name ?? "", { format: "name", ...extra });
}

export const ageColumn = column("Age", "The time since the object was created.", ({ metadata }, now) =>
  age(metadata.creationTimestamp, now),
);

/** How long ago a time was, as people read it. */
export function age(time: string | null | undefined, now: number): string {
  const moment = time ? Date.parse(time) : Number.NaN;
  return Number.isNaN(moment) ? "<unknown>" : formatAge(now - moment);
}

/** How many entries the maps and lists in these fields have together. */
export function countIn(...fields: readonly string[]): (object: KubeObject) => number {
  return (object) => {
    let count = 0;
    for (const field of fields) {
      const value = (object as unknown as Record<string, unknown>)[field];
      if (typeof value === "object" && value !== null) count += Object.keys(value).length;
    }
    return count;
  };
}
