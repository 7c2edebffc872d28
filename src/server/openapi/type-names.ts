import type { ResourceType } from "../resources/resource-type.js";

/** The names under which documents have a kind and its list. */
export interface TypeNames {
  readonly object: string;
  readonly list: string;
}

/** Built-in kinds have names of their own; custom ones are named `dev.demo.v1.Widget` for `demo.dev/v1`. */
export function typeNames(type: ResourceType): TypeNames {
  const object = type.typeName?.(type.schema) ?? `${prefixOf(type)}${type.kind}`;
  return { object, list: object.slice(0, object.lastIndexOf(".") + 1) + type.listKind };
}

function prefixOf({ group, version }: ResourceType): string {
  return `${group.split(".").reverse().join(".")}.${version}.`;
}
