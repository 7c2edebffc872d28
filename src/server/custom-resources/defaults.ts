import type { KubeObject } from "../../model/core.js";
import type { Draft } from "../resources/resource-type.js";
import type { DefinitionStatus } from "./definition.js";

type Fields = Record<string, unknown>;

/**
 * Sets defaults of a definition: names that follow from the kind, and no conversion. Nulls count as unset, as everywhere
 * where Kubernetes decodes into structs. Values of a wrong type are left to validation.
 */
export function applyDefinitionDefaults(definition: Draft): void {
  const { spec } = definition as { spec?: unknown };
  if (!isFields(spec)) return;
  dropNulls(spec);
  const { names, versions, conversion } = spec;
  if (isFields(names)) defaultNames(names);
  if (isFields(conversion)) dropNulls(conversion);
  else if (conversion === undefined) spec["conversion"] = { strategy: "None" };
  if (!Array.isArray(versions)) return;
  for (const version of versions) if (isFields(version)) tidyVersion(version);
}

function defaultNames(names: Fields): void {
  dropNulls(names);
  const { kind, singular = "", listKind = "" } = names;
  if (typeof kind !== "string" || kind === "") return;
  if (singular === "") names["singular"] = kind.toLowerCase();
  if (listKind === "") names["listKind"] = `${kind}List`;
}

function tidyVersion(version: Fields): void {
  dropNulls(version);
  const { schema, subresources, additionalPrinterColumns: columns } = version;
  if (isFields(schema)) {
    dropNulls(schema);
    if (isFields(schema["openAPIV3Schema"])) dropNullKeywords(schema["openAPIV3Schema"]);
  }
  if (isFields(subresources)) {
    dropNulls(subresources);
    if (isFields(subresources["scale"])) dropNulls(subresources["scale"]);
  }
  if (Array.isArray(columns)) for (const column of columns) if (isFields(column)) dropNulls(column);
}

/** Removes nulls from every node of a schema, but not from defaults, enums and examples. */
function dropNullKeywords(root: Fields): void {
  const stack: unknown[] = [root];
  const add = (parts: readonly unknown[]): void => {
    for (const part of parts) if (isFields(part)) stack.push(part);
  };
  for (let node = stack.pop(); isFields(node); node = stack.pop()) {
    dropNulls(node);
    const { properties, items, not, additionalProperties } = node;
    if (isFields(properties)) add(Object.values(properties));
    for (const key of ["allOf", "anyOf", "oneOf", "x-kubernetes-validations"]) {
      const list = node[key];
      if (Array.isArray(list)) add(list);
    }
    add([items, not, additionalProperties]);
  }
}

function dropNulls(fields: Fields): void {
  for (const key of Object.keys(fields)) if (fields[key] === null) delete fields[key];
}

/** Sets the status of a new definition; clients cannot. */
export function prepareDefinitionCreate(definition: Draft): void {
  applyDefinitionDefaults(definition);
  const status: DefinitionStatus = {
    conditions: [],
    acceptedNames: { plural: "", kind: "" },
    storedVersions: withStorageVersion([], definition),
  };
  definition["status"] = status;
}

/** Keeps the status of a definition and adds a new storage version to its stored versions. */
export function prepareDefinitionUpdate(definition: Draft, old: KubeObject): void {
  applyDefinitionDefaults(definition);
  const status = (old.status ?? {}) as DefinitionStatus;
  definition["status"] = {
    ...status,
    storedVersions: withStorageVersion(status.storedVersions ?? [], definition),
  } satisfies DefinitionStatus;
}

function withStorageVersion(stored: readonly string[], definition: Draft): readonly string[] {
  const { spec } = definition as { spec?: { versions?: unknown } };
  const versions: unknown[] = Array.isArray(spec?.versions) ? spec.versions : [];
  const storage = versions.find((version) => isFields(version) && version["storage"] === true) as
    | { name?: unknown }
    | undefined;
  const name = storage?.name;
  return typeof name !== "string" || stored.includes(name) ? stored : [...stored, name];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
