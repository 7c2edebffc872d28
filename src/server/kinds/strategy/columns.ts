import type { PodSpec } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../model/core.js";
import { labelSelector, type LabelSelectorSpec } from "../../../model/selector/label-selector.js";
import { ageColumn as customAgeColumn } from "../../output-formats/columns.js";
import type { TableColumn } from "../../resources/resource-type.js";

/** Properties of a column besides its name, description and cell. */
type Extra = Partial<Pick<TableColumn, "type" | "format" | "priority">>;

/** A column; by default one of strings that is always first. */
export function column(
  name: string,
  description: string,
  cell: TableColumn["cell"],
  { type = "string", format, priority = 0 }: Extra = {},
): TableColumn {
  return { name, type, format, description, priority, cell };
}

/** Age of the object; Kubernetes sends a string for built-in kinds, a date for custom ones. */
export const builtInAgeColumn: TableColumn = { ...customAgeColumn, type: "string" };

/** Counts the entries of the maps and lists in these fields. */
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

/** For columns that are first with `-o wide` only. */
export const wide = { priority: 1 } as const;

/** The text, or `<none>`. */
export function none(text: string | null | undefined): string {
  return text || "<none>";
}

/** Labels as a cell: `app=web,tier=front`. */
export function labelsCell(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return none(pairs.sort().join(","));
}

/** Label selector as a cell. */
export function selectorCell(selector: LabelSelectorSpec | undefined): string {
  if (selector === undefined) return none(undefined);
  try {
    return none(labelSelector(selector).toString());
  } catch {
    return "<error>";
  }
}

/** First items of a list, and the number of the others. */
export function someOf(list: readonly string[], most = 3): string {
  const first = list.slice(0, most).join(",");
  return list.length > most ? `${first} + ${list.length - most} more...` : first;
}

/** Columns for names and images of containers. */
export function containerColumns(
  specOf: (object: KubeObject) => PodSpec | undefined,
  priority = 1,
): readonly TableColumn[] {
  const all = (field: "name" | "image") => (object: KubeObject) =>
    (specOf(object)?.containers ?? []).map((container) => container[field] ?? "").join(",");
  return [
    column("Containers", "The names of the containers.", all("name"), { priority }),
    column("Images", "The images of the containers.", all("image"), { priority }),
  ];
}
