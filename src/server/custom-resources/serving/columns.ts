import type { Json } from "../../../model/core.js";
import { checkJsonPath, compileJsonPath, type JsonPath, jsonPathText } from "../../resources/json-path.js";
import type { TableColumn } from "../../resources/resource-type.js";
import { ageOf, defaultColumns, nameColumn } from "../../output-formats/columns.js";
import type { PrinterColumn } from "../definition.js";

type Cell = ReturnType<TableColumn["cell"]>;

/** Columns of a version: name and printer columns, or name and age. */
export function columnsOf(columns: readonly PrinterColumn[] | undefined): readonly TableColumn[] {
  return columns?.length ? [nameColumn, ...columns.map(columnOf)] : defaultColumns;
}

function columnOf({ name, type, format, description, priority = 0, jsonPath }: PrinterColumn): TableColumn {
  // Built on first use: most kinds are never shown.
  let path: JsonPath | undefined;
  const isReadable = checkJsonPath(jsonPath) === undefined;
  return {
    name,
    type,
    format,
    description: description || `What stands at ${jsonPath}.`,
    priority,
    cell(object, now) {
      if (!isReadable) return null;
      path ??= compileJsonPath(jsonPath);
      const value = path.first(object);
      return value === undefined ? null : cellOf(type, value, now);
    },
  };
}

/** Cell of a value; empty if it is not of the column's type, except for strings, which show any value. */
function cellOf(type: string, value: Json, now: number): Cell {
  switch (type) {
    case "string":
      return jsonPathText(value);
    case "integer":
      return isNumber(value) ? Math.trunc(value) : null;
    case "number":
      return isNumber(value) ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageOf(value, now) : null;
    default:
      return null;
  }
}

function isNumber(value: Json): value is number {
  return Number.isFinite(value);
}
