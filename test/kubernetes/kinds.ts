import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { parseStep, type Step } from "./step.js";

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/** Steps that create the custom kinds of the cases and wait until all versions are served. */
export function definingKinds(): readonly Step[] {
  return [...writtenKinds(), gadgets()].flatMap((definition) => {
    const { group, names, versions } = definition.spec;
    const lines = versions.map(({ name }) => `WAIT /apis/${group}/${name}/${names.plural}`);
    return [`POST customresourcedefinitions ${JSON.stringify(definition)}`].concat(lines).map(parseStep);
  });
}

/** Definitions in kinds.yaml. */
function writtenKinds(): readonly Definition[] {
  const text = readFileSync(new URL("./kinds.yaml", import.meta.url), "utf8");
  return parseAllDocuments(text).map((document) => document.toJS() as Definition);
}

/** Kind from the tests of apply, with all list and map types. */
function gadgets(): Definition {
  const file = new URL("../../src/model/apply/fixtures/widget-schemas.json", import.meta.url);
  const schemas = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, object>>;
  const schema = { openAPIV3Schema: JSON.parse(JSON.stringify(schemas["demo.dev/v1"]), withKeys) as object };
  const spec = {
    group: "demo.dev",
    names: { kind: "Gadget", plural: "gadgets" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema }],
  };
  return { metadata: { name: "gadgets.demo.dev" }, spec };
}

interface Items {
  readonly properties: Readonly<Record<string, { readonly default?: unknown }>>;
}

/** Adds list keys without default to `required`, as servers demand. */
function withKeys(_: string, schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  const { "x-kubernetes-list-map-keys": keys, items } = schema as Record<string, unknown>;
  if (!Array.isArray(keys)) return schema;
  const { properties } = items as Items;
  const required = keys.filter((key: string) => properties[key]?.default === undefined);
  return { ...schema, items: { ...(items as Items), required } };
}
