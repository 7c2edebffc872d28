import { describe, expect, test } from "vitest";

import { renderFieldError } from "../object/field-errors.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { compileSchema } from "./compile-schema.js";

const resource: StructuralSchema = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
};
const schema = compileSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        one: resource,
        some: { type: "array", items: resource },
        many: { type: "object", additionalProperties: resource },
      },
    },
  },
});
const faults = (spec: object): string[] => schema.validate({ spec }).map(renderFieldError);
const withMetadata = (metadata: unknown): object => ({ one: { apiVersion: "v1", kind: "K", metadata } });

describe("embedded resources", () => {
  test("require apiVersion and kind", () => {
    expect(faults({ one: {}, some: [{}], many: { k: { apiVersion: "v1" } } })).toEqual([
      "spec.one.apiVersion: Required value",
      "spec.one.kind: Required value",
      "spec.some[0].apiVersion: Required value",
      "spec.some[0].kind: Required value",
      "spec.many[k].kind: Required value",
    ]);
    expect(faults({ one: { apiVersion: "a/b/c", kind: "foo.bar" } })).toEqual([
      'spec.one.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      expect.stringMatching(
        /^spec\.one\.kind: Invalid value: "foo\.bar": may have mixed case, but should otherwise match: a DNS-1035 label/,
      ),
    ]);
    expect(faults({ one: { apiVersion: "", kind: 5 } })).toEqual([
      'spec.one.apiVersion: Invalid value: "": must not be empty',
      "spec.one.kind: Invalid value: 5: must be a string",
    ]);
  });

  test.each<[unknown, string]>([
    ["x", '"x": json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
    [[], "[]: json: cannot unmarshal array into Go value of type v1.ObjectMeta"],
    [
      { name: 5 },
      '{"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ],
    [
      { uid: true },
      '{"uid":true}: json: cannot unmarshal bool into Go struct field ObjectMeta.uid of type types.UID',
    ],
    [
      { labels: { a: {} } },
      '{"labels":{"a":{}}}: json: cannot unmarshal object into Go struct field ObjectMeta.labels of type string',
    ],
    [
      { labels: [] },
      '{"labels":[]}: json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string',
    ],
    [
      { generation: 1.5 },
      '{"generation":1.5}: json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64',
    ],
    [
      { finalizers: [5] },
      '{"finalizers":[5]}: json: cannot unmarshal number into Go struct field ObjectMeta.finalizers of type string',
    ],
    [
      { ownerReferences: [{ controller: "x" }] },
      '{"ownerReferences":[{"controller":"x"}]}: json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool',
    ],
    [
      { ownerReferences: [5] },
      '{"ownerReferences":[5]}: json: cannot unmarshal number into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference',
    ],
    [
      { creationTimestamp: 5 },
      '{"creationTimestamp":5}: json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string',
    ],
    [
      { creationTimestamp: "x" },
      '{"creationTimestamp":"x"}: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      { creationTimestamp: "2024-13-01T00:00:00Z" },
      '{"creationTimestamp":"2024-13-01T00:00:00Z"}: parsing time "2024-13-01T00:00:00Z": month out of range',
    ],
    [
      { creationTimestamp: "2023-02-29T00:00:00Z" },
      '{"creationTimestamp":"2023-02-29T00:00:00Z"}: parsing time "2023-02-29T00:00:00Z": day out of range',
    ],
    [
      { creationTimestamp: "2024-01-01T00:00:00Zx" },
      '{"creationTimestamp":"2024-01-01T00:00:00Zx"}: parsing time "2024-01-01T00:00:00Zx": extra text: "x"',
    ],
  ])("reject metadata %j", (metadata, said) => {
    expect(faults(withMetadata(metadata))).toEqual([`spec.one.metadata: Invalid value: ${said}`]);
  });

  test("allow metadata without a name, and validate the rest", () => {
    expect(faults(withMetadata(null))).toEqual([]);
    expect(faults(withMetadata({ creationTimestamp: null, finalizers: null, labels: { a: null } }))).toEqual(
      [],
    );
    expect(
      faults(
        withMetadata({ namespace: "ns", labels: { a: "b" }, creationTimestamp: "2024-01-01T00:00:00Z" }),
      ),
    ).toEqual([]);
    expect(faults(withMetadata({ name: "..", labels: { "#": "a" } }))).toEqual([
      "spec.one.metadata.name: Invalid value: \"..\": may not be '..'",
      expect.stringMatching(/^spec\.one\.metadata\.labels: Invalid value: "#": name part must consist of/),
    ]);
  });
});
