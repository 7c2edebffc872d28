import type { Json, JsonObject } from "../../../src/model/core.js";
import { isJsonObject } from "../../../src/model/object/json.js";
import type { Choices } from "../choices.js";
import type { Catalog, Resource } from "./catalog.js";
import { definitionNamed, fuzzObject } from "./definitions.js";
import { placeholders } from "./draft.js";
import { setField } from "./places.js";
import { samples } from "./samples.js";
import { valueOf } from "./schema-values.js";

export interface Target {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
}

export function apiVersionOf({ group, version }: Resource): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Valid object. */
export function validObject(
  { resource, namespace, name }: Target,
  catalog: Catalog,
  choices: Choices,
): JsonObject {
  if (resource.plural === "customresourcedefinitions") return definitionNamed(name, choices);
  const object: JsonObject = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      name,
      ...(namespace !== undefined && choices.once(2) && { namespace }),
      ...(choices.once(2) && { labels: { app: choices.pick(["web", "db"]) } }),
      ...(choices.once(6) && { annotations: { "fuzz.dev/note": "hello" } }),
      ...(choices.once(8) && { finalizers: ["fuzz.dev/hold"] }),
      ...(choices.once(10) && { ownerReferences: [owner(choices)] }),
    },
    ...(resource.group === "fuzz.dev" ? fuzzObject() : contentOf(resource.kind)),
  };
  // One time in three, adds fields that the sample lacks.
  if (resource.schema !== undefined && choices.once(3)) {
    overlay(object, valueOf(resource.schema, catalog.schemas, choices));
  }
  return object;
}

function contentOf(kind: string): JsonObject {
  return structuredClone(samples[kind] ?? {});
}

function owner(choices: Choices): JsonObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    name: choices.pick(["a", "b"]),
    uid: choices.pick<string>([placeholders.uid, "11111111-2222-3333-4444-555555555555"]),
    blockOwnerDeletion: true,
  };
}

/** Adds missing fields. */
function overlay(object: JsonObject, more: Json): void {
  if (!isJsonObject(more)) return;
  for (const [key, value] of Object.entries(more)) {
    if (key === "metadata" || key === "apiVersion" || key === "kind") continue;
    const there = object[key];
    if (there === undefined) setField(object, key, value);
    else if (isJsonObject(there)) overlay(there, value);
  }
}
