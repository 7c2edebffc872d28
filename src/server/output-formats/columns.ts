import { formatAge, parseTime, type KubeObject } from "../../model/core.js";
import type { TableColumn } from "../resources/resource-type.js";

/** The column that every table begins with. */
export const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The name of the object, which no other object of its kind in its namespace has.",
  priority: 0,
  cell: ({ metadata }) => metadata.name ?? "",
};

/** How long ago the object was created. */
export const ageColumn: TableColumn = {
  name: "Age",
  type: "date",
  description: "How long ago the object was created.",
  priority: 0,
  cell: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
};

/** What a kind has that says nothing about its columns. */
export const defaultColumns: readonly TableColumn[] = [nameColumn, ageColumn];

/** The columns of a `scale` subresource. */
export const scaleColumns: readonly TableColumn[] = [
  nameColumn,
  {
    name: "Desired",
    type: "integer",
    description: "Number of desired replicas",
    priority: 0,
    cell: ({ spec }: KubeObject) => replicasOf(spec),
  },
  {
    name: "Available",
    type: "integer",
    description: "Number of actual replicas",
    priority: 0,
    cell: ({ status }: KubeObject) => replicasOf(status),
  },
  ageColumn,
];

function replicasOf(part: unknown): number | null {
  const { replicas } = (part ?? {}) as { replicas?: unknown };
  return typeof replicas === "number" ? replicas : null;
}

/** The age that a time has reached, in kubectl's words: `5m`, or `<unknown>` for none. */
export function ageOf(time: string | null | undefined, now: number): string {
  if (!time) return "<unknown>";
  try {
    return formatAge(now - parseTime(time));
  } catch {
    return "<invalid>";
  }
}
