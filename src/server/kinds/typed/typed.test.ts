import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../model/core.js";
import type { Draft } from "../../resources/resource-type.js";
import type { StructType } from "../idl/type-definition.js";
import { findBuiltInKind } from "../types.js";
import { checkTypes } from "./check-types.js";
import { normalize } from "./normalize.js";
import { removeUnknownFields } from "./unknown-fields.js";

function kindOf(apiVersion: string, kind: string): StructType {
  const struct = findBuiltInKind(apiVersion, kind);
  if (struct === undefined) throw new Error(`no ${kind}`);
  return struct;
}

/** Replaces null by an empty list where Kubernetes writes null and we write a list. */
function withLists(json: string): string {
  return json.replaceAll(/"(conditions|storedVersions|versions)":null/g, '"$1":[]');
}

/** Blocks of lines; the first line is the title. */
const fixture = readFileSync(new URL("../fixtures/typed-decoding.txt", import.meta.url), "utf8");

const cases = fixture
  .trimEnd()
  .split("\n\n")
  .slice(1)
  .map((block) => block.split("\n"))
  .map(([type = "", body = "", result = ""]) => {
    const [apiVersion = "", kind = ""] = type.split(" ");
    return { apiVersion, kind, body, result };
  });

describe("decoding and normalizing match Kubernetes", () => {
  test.each(cases)("$kind $body", ({ apiVersion, kind, body, result }) => {
    const struct = kindOf(apiVersion, kind);
    const { group, version } = struct.group.name === "meta/v1" ? { group: "", version: "v1" } : struct.group;
    const object = JSON.parse(body) as Json;
    const fault = checkTypes({ group, version, kind }, object);
    if (result.startsWith("! ")) {
      expect(fault).toBe(result.slice(2));
      return;
    }
    expect(fault).toBeUndefined();
    const draft = { apiVersion, kind, ...(object as object) } as Draft;
    normalize(struct, draft);
    expect(draft).toEqual(JSON.parse(withLists(result)));
    // The order of fields is compared too, except for the first two.
    const { kind: _, apiVersion: __, ...rest } = JSON.parse(withLists(result)) as Draft;
    expect(JSON.stringify({ ...draft, apiVersion: undefined, kind: undefined })).toBe(JSON.stringify(rest));
    const again = structuredClone(draft);
    normalize(struct, again);
    expect(again).toEqual(draft);
  });
});

test("a string is rejected where an object is expected", () => {
  expect(checkTypes({ group: "", version: "v1", kind: "Secret" }, "x")).toBe(
    'Secret in version "v1" cannot be handled as a Secret: json: cannot unmarshal string into Go value of type v1.Secret',
  );
});

test("kinds without a type description are not checked", () => {
  expect(checkTypes({ group: "demo.dev", version: "v1", kind: "Widget" }, { data: 1 })).toBeUndefined();
});

test("normalizing keeps the identity of metadata and sets defaults for empty values", () => {
  const metadata = { name: "a", labels: {}, creationTimestamp: null };
  const draft: Draft = { apiVersion: "v1", kind: "Secret", metadata, type: "", unknown: 1 };
  normalize(kindOf("v1", "Secret"), draft);
  expect(draft).toEqual({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, type: "Opaque" });
  expect(draft.metadata).toBe(metadata);
});

test("normalizing does not change frozen nested values", () => {
  const data = Object.freeze({ b: "1" });
  const draft: Draft = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data };
  normalize(kindOf("v1", "ConfigMap"), draft);
  expect(draft.data).toEqual({ b: "1" });
});

describe("unknown fields", () => {
  test("are removed from an object and reported", () => {
    const object = JSON.parse(
      '{"foo":1,"Data":{},"metadata":{"nam":"x","ownerReferences":[{"a":1}],"managedFields":[{"fieldsV1":{"q":1}}]},"__proto__":{}}',
    ) as object;
    expect(removeUnknownFields(kindOf("v1", "ConfigMap"), object)).toEqual([
      "foo",
      "Data",
      "metadata.nam",
      "metadata.ownerReferences[0].a",
      "__proto__",
    ]);
    expect(object).toEqual({ metadata: { ownerReferences: [{}], managedFields: [{ fieldsV1: { q: 1 } }] } });
  });

  test("are removed from schemas in a definition, and not reported inside unions", () => {
    const openAPIV3Schema = {
      foo: 1,
      properties: {
        a: { bar: 1, items: { baz: 1, type: "string" }, additionalProperties: { qux: { x: 1 } } },
      },
      allOf: [{ zip: 1 }],
      "x-kubernetes-validations": [{ zap: 1 }],
      default: { k: 1 },
    };
    const object = { spec: { versions: [{ schema: { openAPIV3Schema } }] } };
    const at = "spec.versions[0].schema.openAPIV3Schema";
    expect(
      removeUnknownFields(kindOf("apiextensions.k8s.io/v1", "CustomResourceDefinition"), object),
    ).toEqual([
      `${at}.foo`,
      `${at}.properties.a.bar`,
      `${at}.allOf[0].zip`,
      `${at}.x-kubernetes-validations[0].zap`,
    ]);
    expect(openAPIV3Schema).toEqual({
      properties: { a: { items: { type: "string" }, additionalProperties: {} } },
      allOf: [{}],
      "x-kubernetes-validations": [{}],
      default: { k: 1 },
    });
  });
});

test("schemas that are nested too deeply are rejected", () => {
  const type = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" };
  let schema: Json = {};
  for (let depth = 0; depth < 5000; depth++) schema = { not: schema };
  const object = { spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } };
  expect(checkTypes(type, object)).toContain("exceeded max depth");
  const struct = kindOf("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  expect(() => removeUnknownFields(struct, object)).toThrow("JSONSchemaProps is nested too deeply");
  expect(() => normalize(struct, object as unknown as Draft)).toThrow("JSONSchemaProps is nested too deeply");
});

test("normalizing is idempotent for every object that passes the type check", () => {
  const kinds = [...new Set(cases.map(({ apiVersion, kind }) => kindOf(apiVersion, kind)))];
  const value = fc.jsonValue({ maxDepth: 4 });
  const names = kinds.flatMap(({ fields }) => fields.map(({ name }) => name));
  const body = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...kinds), body, (struct, fields) => {
      const { group, version, apiVersion } = struct.group;
      const object = { ...(fields as Record<string, Json>) };
      if (checkTypes({ group, version, kind: struct.name }, object) !== undefined) return;
      const draft = { ...object, apiVersion, kind: struct.name } as unknown as Draft;
      normalize(struct, draft);
      const again = structuredClone(draft);
      normalize(struct, again);
      expect(again).toEqual(draft);
      expect(checkTypes({ group, version, kind: struct.name }, draft as unknown as Json)).toBeUndefined();
    }),
    { numRuns: 1000 },
  );
});
