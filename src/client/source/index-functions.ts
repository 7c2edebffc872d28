import { controllerOf } from "../../model/core.js";
import type { IndexFunction } from "./source.js";

/**
 * Finds objects by the uid of the owner that controls them.
 *
 * @example
 * pages.addIndex("owner", byController);
 * const mine = pages.byIndex("owner", site.metadata.uid);
 */
export const byController: IndexFunction = (object) => {
  const owner = controllerOf(object);
  return owner === undefined ? [] : [owner.uid];
};

/** Finds objects by the uid of any of their owners. */
export const byOwner: IndexFunction = (object) => {
  const owners = object.metadata.ownerReferences;
  return owners === undefined ? [] : [...new Set(owners.map((owner) => owner.uid))];
};

/**
 * Finds objects by the value of a label.
 *
 * @example
 * pages.addIndex("site", byLabel("demo.dev/site"));
 */
export function byLabel(name: string): IndexFunction {
  return once(labels, name, () => (object) => {
    const value = object.metadata.labels?.[name];
    return value === undefined ? [] : [value];
  });
}

/**
 * Finds objects by a field: `spec.nodeName`, `spec.volumes.configMap.name`. Arrays on the path are searched item by item;
 * numbers and booleans are indexed as strings.
 */
export function byField(path: string): IndexFunction {
  return once(fields, path, () => {
    const names = path.split(".");
    return (object) => {
      const values = new Set<string>();
      collect(object, names, 0, values);
      return [...values];
    };
  });
}

// The same function for the same name, so that equal indexes are shared.
const labels = new Map<string, IndexFunction>();
const fields = new Map<string, IndexFunction>();

function once(made: Map<string, IndexFunction>, name: string, make: () => IndexFunction): IndexFunction {
  let index = made.get(name);
  if (index === undefined) made.set(name, (index = make()));
  return index;
}

function collect(value: unknown, names: readonly string[], at: number, values: Set<string>): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, names, at, values);
    return;
  }
  const name = names[at];
  if (name === undefined) {
    if (typeof value === "string") values.add(value);
    else if (typeof value === "number" || typeof value === "boolean") values.add(String(value));
  } else if (typeof value === "object" && Object.hasOwn(value, name)) {
    collect((value as Readonly<Record<string, unknown>>)[name], names, at + 1, values);
  }
}
