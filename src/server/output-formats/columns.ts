import { formatAge, parseTime, type KubeObject } from "../../model/core.js";
import type { TableColumn } from "../resources/resource-type.js";

/** First column of every table. */
export const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The name of the object, which no other object of its kind in its namespace has.",
  priority: 0,
  cell: ({ metadata }) => metadata.name ?? "",
};

/** Time since the object was created. */
export const ageColumn: TableColumn = {
  name: "Age",
  type: "date",
  description: "How long ago the object was created.",
  priority: 0,
  cell: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
};

/** Columns of a kind that defines none. */
export const defaultColumns: readonly TableColumn[] = [nameColumn, ageColumn];

/** Columns of the `scale` subresource. */
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

/** Age of a time as kubectl shows it: `5m`, or `<unknown>` when unset. */
export function ageOf(time: string | null | undefined, now: number): string {
  if (!time) return "<unknown>";
  try {
    return formatAge(now - parseTime(time));
  } catch {
    return "<invalid>";
  }
}
