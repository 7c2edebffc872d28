import type { ReportProblem } from "./convert/problems.js";
import { parseColumnPath, schemaAt } from "../schema/column-path.js";
import type { Column, ColumnOptions, ColumnType, Scale } from "./resource-types.js";
import type { StructuralSchema } from "../schema/structural-schema.js";

/** As many selectable fields as Kubernetes allows. */
const maxSelectableFields = 8;

const columnTypes: readonly string[] = ["integer", "number", "string", "boolean", "date"];

/** Looks a path up in the schema and complains where it leads nowhere. */
function findSchema(
  root: StructuralSchema,
  path: string,
  at: string,
  report: ReportProblem,
): StructuralSchema | undefined {
  const steps = parseColumnPath(path);
  if (!steps) {
    report(
      at,
      `"${path}" is not a simple JSON path`,
      'write it like .spec.pages or .status.conditions[?(@.type=="Ready")].status',
    );
    return undefined;
  }
  const found = schemaAt(root, steps);
  if (!found)
    report(at, `"${path}" leads to no field of the schema`, "look for a spelling mistake, or add the field");
  return found;
}

/** The columns with their types, found in the schema where they were left out. */
export function resolveColumns(
  columns: readonly ColumnOptions[],
  root: StructuralSchema,
  report: ReportProblem,
): Column[] {
  const names = new Set<string>();
  return columns.map((column, index) => {
    const at = `columns[${index}]`;
    if (column.name === "") report(`${at}.name`, "a column needs a name", "give it one");
    if (names.has(column.name))
      report(`${at}.name`, `there are two columns "${column.name}"`, "rename one of them");
    names.add(column.name);
    if (column.type !== undefined && !columnTypes.includes(column.type)) {
      report(
        `${at}.type`,
        `"${column.type}" is not a type of column`,
        `use one of ${columnTypes.join(", ")}`,
      );
    }
    const found = findSchema(root, column.path, `${at}.path`, report);
    return { ...column, type: column.type ?? columnType(found) };
  });
}

/** Lists, maps and what has no type are printed as text. */
function columnType(schema: StructuralSchema | undefined): ColumnType {
  const type = schema?.type;
  if (type === "string" && (schema?.format === "date-time" || schema?.format === "date")) return "date";
  return type === "integer" || type === "number" || type === "boolean" ? type : "string";
}

/** Checks where the numbers of `kubectl scale` come from. */
export function checkScale(scale: Scale, root: StructuralSchema, report: ReportProblem): void {
  const check = (key: keyof Scale, under: readonly string[], types: readonly string[]): void => {
    const path = scale[key];
    if (path === undefined) return;
    const at = `scale.${key}`;
    const found = findSchema(root, path, at, report);
    if (!under.some((parent) => path.startsWith(`.${parent}.`)) || path.includes("[")) {
      report(
        at,
        `"${path}" must be a path under .${under.join(" or .")}, without brackets`,
        "point it there",
      );
    } else if (found && !types.includes(found.type ?? "")) {
      report(at, `"${path}" is not a field of type ${types.join(" or ")}`, "point it at such a field");
    }
  };
  check("specReplicas", ["spec"], ["integer", "number"]);
  check("statusReplicas", ["status"], ["integer", "number"]);
  check("selector", ["spec", "status"], ["string"]);
}

/** Checks the fields that a field selector may ask for. */
export function checkSelectableFields(
  fields: readonly string[],
  root: StructuralSchema,
  report: ReportProblem,
): void {
  if (fields.length > maxSelectableFields) {
    report(
      "selectableFields",
      `there are ${fields.length} selectable fields, and Kubernetes allows ${maxSelectableFields}`,
      "use labels for the others",
    );
  }
  for (const [index, path] of fields.entries()) {
    const at = `selectableFields[${index}]`;
    const found = findSchema(root, path, at, report);
    if (fields.indexOf(path) !== index) report(at, `"${path}" is listed twice`, "leave it out");
    if (path.startsWith(".metadata") || path.includes("[")) {
      report(
        at,
        `"${path}" must not point to fields in metadata or into lists`,
        "metadata.name and metadata.namespace can be selected anyway",
      );
    } else if (found && !["string", "boolean", "integer"].includes(found.type ?? "")) {
      report(
        at,
        `"${path}" must point to a field of type string, boolean or integer`,
        "choose another field",
      );
    }
  }
}
