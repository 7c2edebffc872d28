import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Json, JsonObject } from "../../../src/model/core.js";
import { widgetDefinition } from "../../server/widgets.js";
import type { Choices } from "../choices.js";
import type { Resource } from "./catalog.js";

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../src/model/cel/fixtures/${name}`, import.meta.url), "utf8");
const lines = (name: string): JsonObject[] =>
  fixture(name)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);

/** Schema with everything that rules can refer to, and a valid object. */
const { schema: expressive, object: expressed } = JSON.parse(fixture("values.json")) as {
  schema: JsonObject;
  object: JsonObject;
};

/** Rules recorded with Kubernetes' results: half of them are rejected or fail, for all possible reasons. */
export const knownRules: readonly string[] = lines("expressions.jsonl").map(({ rule, message }) =>
  typeof rule === "string" ? rule : (message as string),
);
const knownSchemas = lines("schemas.jsonl").map(({ schema }) => schema as JsonObject);

interface FuzzKind {
  readonly plural: string;
  readonly kind: string;
  readonly scope: "Namespaced" | "Cluster";
}

const group = "fuzz.dev";
const kinds: readonly FuzzKind[] = [
  { plural: "alphas", kind: "Alpha", scope: "Namespaced" },
  { plural: "betas", kind: "Beta", scope: "Namespaced" },
  { plural: "gammas", kind: "Gamma", scope: "Cluster" },
];

const verbs = ["create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"];

/** Resources of these kinds, whose definitions are created and deleted. */
export const fuzzResources: readonly Resource[] = kinds.flatMap(({ plural, kind, scope }) =>
  ["v1", "v2"].map((version) => ({
    group,
    version,
    plural,
    kind,
    namespaced: scope === "Namespaced",
    verbs,
    subresources: ["status", "scale"],
    schema: undefined,
  })),
);

/** Name of a random definition. */
export function definitionName(choices: Choices): string {
  return choices.once(4) ? "widgets.demo.dev" : `${choices.pick(kinds).plural}.${group}`;
}

/** Definition that is valid, unless its rule is not. */
export function definitionNamed(name: string, choices: Choices): JsonObject {
  const known = kinds.find(({ plural }) => name === `${plural}.${group}`);
  if (known === undefined) return parse(widgetDefinition) as JsonObject;
  const { plural, kind, scope } = known;
  const versions = choices.once(4) ? ["v1"] : ["v1", "v2"];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group,
      scope,
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: versions.map((version, index) => versionOf(version, index === 0, choices)),
    },
  };
}

function versionOf(name: string, storage: boolean, choices: Choices): JsonObject {
  return {
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: schemaFor(choices) },
    subresources: {
      status: {},
      scale: { specReplicasPath: ".spec.i", statusReplicasPath: ".status.replicas" },
    },
    additionalPrinterColumns: [
      { name: "Text", type: "string", jsonPath: ".spec.s" },
      { name: "Number", type: "integer", jsonPath: ".spec.n[0]" },
    ],
  };
}

function schemaFor(choices: Choices): Json {
  if (choices.once(4)) return structuredClone(choices.pick(knownSchemas));
  // Half of them would be rejected, and leave no objects to send requests about.
  const rules = choices
    .several(knownRules, choices.once(3) ? 2 : 0)
    .map((rule) => ({ rule, message: "is not so" }));
  const status = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    type: "object",
    properties: { spec: structuredClone(expressive), status },
    ...(rules.length > 0 && { "x-kubernetes-validations": rules }),
  };
}

/** Spec of an object of such a kind. */
export function fuzzObject(): JsonObject {
  const { spec } = structuredClone(expressed) as { spec?: JsonObject };
  return { spec: spec ?? {}, status: { replicas: 1 } };
}
