import type { ReportProblem } from "./convert/problems.js";
import { parseColumnPath, schemaAt } from "../schema/column-path.js";
import type { Column, ColumnOptions, ColumnType, Scale } from "./resource-types.js";
import { hasStandardStatus } from "./standard-status.js";
import type { StructuralSchema } from "../schema/structural-schema.js";

/** Kubernetes' limit for selectable fields. */
const maxSelectableFields = 8;

const columnTypes: readonly string[] = ["integer", "number", "string", "boolean", "date"];

/** Finds the schema at a path, and reports a path that does not exist. */
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
  if (!found) report(at, `"${path}" is not a field of the schema`, "check the spelling, or add the field");
  return found;
}

/** Adds missing types to columns, from the schema. */
export function resolveColumns(
  columns: readonly ColumnOptions[],
  root: StructuralSchema,
  report: ReportProblem,
): Column[] {
  const names = new Set<string>();
  return columns.map((column, index) => {
    const at = `columns[${index}]`;
    if (column.name === "") report(`${at}.name`, "a column needs a name", "set its name");
    if (names.has(column.name))
      report(`${at}.name`, `there are two columns named "${column.name}"`, "rename one of them");
    names.add(column.name);
    if (column.type !== undefined && !columnTypes.includes(column.type)) {
      report(`${at}.type`, `"${column.type}" is not a column type`, `use one of ${columnTypes.join(", ")}`);
    }
    const found = findSchema(root, column.path, `${at}.path`, report);
    return { ...column, type: column.type ?? columnType(found) };
  });
}

/** Columns that show whether an object is ready, as Kubernetes' own kinds have them. */
const standardColumns: readonly Column[] = [
  {
    name: "Ready",
    type: "string",
    path: '.status.conditions[?(@.type=="Ready")].status',
    description: "Whether the object is ready.",
  },
  {
    name: "Reason",
    type: "string",
    path: '.status.conditions[?(@.type=="Ready")].reason',
    description: "Why the object is ready or not.",
  },
];

const ageColumn: Column = {
  name: "Age",
  type: "date",
  path: ".metadata.creationTimestamp",
  description: "Time since the object was created.",
};

/**
 * Appends Ready and Reason to the columns of a kind with conditions, and Age to any columns, except those that are declared with
 * the same name or path. An API server prints Age by itself only for a kind without columns.
 */
export function withStandardColumns(declared: readonly Column[], root: StructuralSchema): Column[] {
  const isStandard = hasStandardStatus(root);
  if (!isStandard && declared.length === 0) return [];
  const standard = isStandard ? [...standardColumns, ageColumn] : [ageColumn];
  const isDeclared = (column: Column): boolean =>
    declared.some(
      ({ name, path }) => name.toLowerCase() === column.name.toLowerCase() || path === column.path,
    );
  const added = standard.filter((column) => !isDeclared(column));
  // An Age stays the last column, as in Kubernetes' own tables.
  const end = declared.at(-1)?.path === ageColumn.path ? declared.length - 1 : declared.length;
  return declared.toSpliced(end, 0, ...added);
}

/** Lists, maps and values without a type are printed as strings. */
function columnType(schema: StructuralSchema | undefined): ColumnType {
  const type = schema?.type;
  if (type === "string" && (schema?.format === "date-time" || schema?.format === "date")) return "date";
  return type === "integer" || type === "number" || type === "boolean" ? type : "string";
}

/** Checks the paths for `kubectl scale`. */
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
        "use such a path",
      );
    } else if (found && !types.includes(found.type ?? "")) {
      report(at, `"${path}" is not a field of type ${types.join(" or ")}`, "use a field of this type");
    }
  };
  check("specReplicas", ["spec"], ["integer", "number"]);
  check("statusReplicas", ["status"], ["integer", "number"]);
  check("selector", ["spec", "status"], ["string"]);
}

/** Checks the fields for field selectors. */
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
    if (fields.indexOf(path) !== index) report(at, `"${path}" is listed twice`, "remove the duplicate");
    if (path.startsWith(".metadata") || path.includes("[")) {
      report(
        at,
        `"${path}" must not point to fields in metadata or into lists`,
        "metadata.name and metadata.namespace can always be selected",
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
