import { describe, expect, test } from "vitest";
import { deepFreeze } from "../object/freeze.js";
import type { Json, JsonObject } from "../object/json.js";
import type { KubeObject, ManagedFieldsEntry } from "../object/object.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { encodeManagedFields } from "./fields/shared-sets.js";
import { recordUpdate, type UpdateRequest } from "./record-update.js";
import { objectType } from "./typed/field-type.js";

const open: StructuralSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const schema: StructuralSchema = { type: "object", properties: { spec: open } };

function object(spec: Json | undefined, metadata: object = {}): KubeObject {
  return deepFreeze({
    apiVersion: "demo.dev/v1",
    kind: "Widget",
    metadata: { name: "w", ...metadata },
    spec,
  });
}

function record(request: Partial<UpdateRequest> & Pick<UpdateRequest, "updated">): unknown {
  const entries = recordUpdate({
    live: undefined,
    manager: "me",
    apiVersion: "demo.dev/v1",
    time: "2026-01-01T00:00:00Z",
    versions: { types: new Map([["demo.dev/v1", objectType(schema)]]) },
    ...request,
  });
  return entries && Object.fromEntries(entries.map(({ manager = "", fieldsV1 }) => [manager, fieldsV1]));
}

function entry(
  manager: string,
  fieldsV1: JsonObject,
  more: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry {
  return {
    manager,
    operation: "Update",
    apiVersion: "demo.dev/v1",
    fieldsType: "FieldsV1",
    fieldsV1,
    ...more,
  };
}

describe("recordUpdate", () => {
  test("writes the fields of an entry in Kubernetes' order", () => {
    const versions = { types: new Map([["demo.dev/v1", objectType(schema)]]) };
    const [first] =
      recordUpdate({
        live: undefined,
        updated: object({ a: 1 }),
        manager: "me",
        apiVersion: "demo.dev/v1",
        subresource: "status",
        time: "2026-01-01T00:00:00Z",
        versions,
      }) ?? [];
    expect(JSON.stringify(first)).toBe(
      '{"manager":"me","operation":"Update","apiVersion":"demo.dev/v1","time":"2026-01-01T00:00:00Z",' +
        '"fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:a":{}}},"subresource":"status"}',
    );
  });

  test("an object without fields has no owners", () => {
    expect(record({ updated: object(undefined) })).toBeUndefined();
  });

  test("does not record an existing object without entries", () => {
    expect(record({ live: object({ a: 1 }, { uid: "u" }), updated: object({ a: 2 }) })).toBeUndefined();
  });

  test("treats __proto__ and constructor as ordinary names", () => {
    const spec = JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":{"b":2}}') as Json;
    const fields = JSON.parse(
      '{"f:spec":{".":{},"f:__proto__":{".":{},"f:a":{}},"f:constructor":{},"f:toString":{".":{},"f:b":{}}}}',
    ) as JsonObject;
    expect(record({ updated: object(spec) })).toEqual({ me: fields });
    const live = object(spec, { uid: "u", managedFields: [entry("other", fields)] });
    expect(record({ live, updated: object({}) })).toEqual({ other: { "f:spec": {} } });
    expect(record({ live, updated: object({ constructor: 2 }) })).toEqual({
      other: { "f:spec": {} },
      me: { "f:spec": { "f:constructor": {} } },
    });
  });

  test("ignores undefined fields", () => {
    const live = object(
      { a: 1 },
      { uid: "u", labels: undefined, managedFields: [entry("other", { "f:spec": { "f:a": {} } })] },
    );
    const updated = object({ a: undefined, b: undefined } as unknown as Json, { annotations: undefined });
    expect(record({ live, updated })).toBeUndefined();
  });

  test("accepts numbers outside of JSON and lone surrogates", () => {
    expect(record({ updated: object({ a: Number.NaN, b: "\ud800", "\udfff": 1 }) })).toBeDefined();
  });

  test("assigns no owners if the object is nested too deeply", () => {
    let deep: Json = 1;
    for (let depth = 0; depth < 200_000; depth++) deep = { a: deep };
    const updated: KubeObject = { ...object(undefined), spec: deep };
    expect(record({ updated })).toBeUndefined();
  });

  test.each([
    ["a text", "x"],
    ["a list of texts", ["x"]],
    ["an entry without operation", [{ manager: "x" }]],
    ["an invalid time", [{ ...entry("x", {}), time: "yesterday" }]],
    ["a year that cannot be written", [{ ...entry("x", {}), time: "0000-01-01T00:00:00+23:00" }]],
    ["fields that are a list", [{ ...entry("x", {}), fieldsV1: [] }]],
    ["a manager that is a number", [{ ...entry("x", {}), manager: 5 }]],
  ])("ignores malformed entries of the client: %s", (_, managedFields) => {
    const live = object({ a: 1 }, { uid: "u", managedFields: [entry("other", { "f:spec": { "f:a": {} } })] });
    const updated = object({ a: 1, b: 2 }, { managedFields });
    expect(record({ live, updated })).toEqual({
      me: { "f:spec": { "f:b": {} } },
      other: { "f:spec": { "f:a": {} } },
    });
  });

  test("ignores malformed stored entries", () => {
    const broken = [{ ...entry("x", {}), fieldsV1: { "f:spec": "abc" } }, { manager: "y" }, entry("z", {})];
    const live = object({ a: 1 }, { uid: "u", managedFields: broken });
    expect(() => record({ live, updated: object({ a: 2 }) })).not.toThrow();
  });

  test("compares in the version of each owner", () => {
    const whole: StructuralSchema = {
      ...schema,
      properties: { spec: { ...open, "x-kubernetes-map-type": "atomic" } },
    };
    const types = new Map([
      ["demo.dev/v1", objectType(schema)],
      ["demo.dev/v2", objectType(whole)],
    ]);
    const managedFields = [entry("other", { "f:spec": {} }, { apiVersion: "demo.dev/v2" })];
    const live = object({ a: 1, b: 1 }, { uid: "u", managedFields });
    expect(record({ live, updated: object({ a: 1, b: 2 }), versions: { types } })).toEqual({
      me: { "f:spec": { "f:b": {} } },
    });
  });

  test("compares after conversion to the version of each owner", () => {
    const types = new Map([
      ["demo.dev/v1", objectType(schema)],
      ["demo.dev/v2", objectType({ type: "object", properties: { body: open } })],
    ]);
    const convert = ({ spec, ...rest }: JsonObject, apiVersion: string): JsonObject => ({
      ...rest,
      apiVersion,
      body: spec ?? null,
    });
    const managedFields = [
      entry("other", { "f:body": { "f:a": {}, "f:b": {} } }, { apiVersion: "demo.dev/v2" }),
    ];
    const live = object({ a: 1, b: 1 }, { uid: "u", managedFields });
    expect(record({ live, updated: object({ a: 1, b: 2 }), versions: { types, convert } })).toEqual({
      other: { "f:body": { "f:a": {} } },
      me: { "f:spec": { "f:b": {} } },
    });
  });
});

describe("a built-in kind", () => {
  const text: StructuralSchema = { type: "string" };
  const podSpec: StructuralSchema = {
    type: "object",
    required: ["containers"],
    properties: {
      nodeName: text,
      containers: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: { type: "object", required: ["name"], properties: { name: text, image: text } },
      },
    },
  };
  const deployment: StructuralSchema = {
    type: "object",
    properties: {
      apiVersion: text,
      kind: text,
      metadata: { type: "object", properties: { name: text } },
      spec: {
        type: "object",
        required: ["selector", "template"],
        properties: {
          replicas: { type: "integer" },
          selector: { type: "object", "x-kubernetes-map-type": "atomic", properties: {} },
          template: { type: "object", properties: { spec: podSpec } },
        },
      },
      status: { type: "object", properties: { replicas: { type: "integer" } } },
    },
  };

  test("assigns no owner to fields that always exist", () => {
    const updated = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d", labels: { a: "b" } },
      spec: {
        replicas: 2,
        selector: { a: "b" },
        template: { spec: { containers: [{ name: "c", image: "i" }] } },
      },
    };
    const types = new Map([["apps/v1", objectType(deployment)]]);
    const base = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {},
      spec: { selector: null, template: { spec: { containers: null } } },
      status: {},
    };
    expect(record({ updated, apiVersion: "apps/v1", versions: { types }, base })).toEqual({
      me: {
        "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
        "f:spec": {
          "f:replicas": {},
          "f:selector": {},
          "f:template": {
            "f:spec": { "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:image": {}, "f:name": {} } } },
          },
        },
      },
    });
  });
});

describe("objects with the same fields", () => {
  const versions = { types: new Map([["demo.dev/v1", objectType(schema)]]) };
  const created = (spec: Json, time: string): ManagedFieldsEntry => {
    const write = { live: undefined, manager: "me", apiVersion: "demo.dev/v1", versions };
    const [first] = recordUpdate({ ...write, updated: object(spec, { uid: "u" }), time }) ?? [];
    return first ?? expect.fail();
  };
  const [noon, later] = ["2026-01-01T12:00:00Z", "2026-01-01T12:00:01Z"];

  test("share the set, and the entry within a second", () => {
    const [first, second, third] = [1, 2, 3].map((a) => created({ a, b: { c: "x" } }, noon));
    expect(second).toEqual(first);
    expect(second?.fieldsV1).toBe(first?.fieldsV1);
    expect(third).toBe(second);
    const after = created({ a: 4, b: { c: "x" } }, later);
    expect(after).toEqual({ ...first, time: later });
    expect(after.fieldsV1).toBe(first?.fieldsV1);
  });

  test("do not share sets with objects that have other fields", () => {
    const fields = (spec: Json): unknown => (created(spec, noon).fieldsV1 as JsonObject)["f:spec"];
    for (let round = 0; round < 2; round++) {
      expect(fields({ a: 1, b: 2 })).toEqual({ ".": {}, "f:a": {}, "f:b": {} });
      expect(fields({ a: 1 })).toEqual({ ".": {}, "f:a": {} });
      expect(fields({ a: 1, b: { c: 1 } })).toEqual({ ".": {}, "f:a": {}, "f:b": { ".": {}, "f:c": {} } });
      expect(Object.keys(fields({ b: 2, a: 1 }) as object)).toEqual([".", "f:a", "f:b"]);
      expect(fields({ a: 1, b: 2, c: 3 })).toEqual({ ".": {}, "f:a": {}, "f:b": {}, "f:c": {} });
    }
  });

  test("are encoded the same with and without the cache", () => {
    for (const time of [noon, noon, noon, later]) {
      const entries = [created({ z: 1 }, time), entry("other", { "f:a": {} })];
      expect(encodeManagedFields(entries)).toBe(JSON.stringify(entries));
    }
    expect(encodeManagedFields([])).toBe("[]");
  });

  test("are owned the same with and without the cache", () => {
    const managers = ["me", "you"];
    const specs: Json[] = [{ a: 1 }, { a: 2 }, { b: 1 }];
    const statuses: Json[] = [{ ready: true }, { ready: true, seen: 1 }];
    const writes = [noon, later].flatMap((time) =>
      managers.flatMap((manager) =>
        specs.flatMap((spec) => statuses.map((status) => ({ time, manager, spec, status }))),
      ),
    );
    const apiVersion = "demo.dev/v1";
    const record = (
      { time, manager, spec, status }: (typeof writes)[number],
      by: typeof versions,
      copied: <Value>(value: Value) => Value,
    ) => {
      const first = object(spec, { uid: "u" });
      const managedFields = recordUpdate({
        live: undefined,
        manager,
        apiVersion,
        versions: by,
        updated: first,
        time,
      });
      const live = { ...first, metadata: { ...first.metadata, managedFields: copied(managedFields) } };
      const updated = { ...live, status };
      const reported = recordUpdate({
        live,
        manager: "it",
        subresource: "status",
        apiVersion,
        versions: by,
        updated,
        time,
      });
      return [managedFields, reported];
    };
    for (let round = 0; round < 3; round++) {
      for (const write of writes) {
        const apart = record(write, { types: versions.types }, structuredClone);
        for (let time = 0; time < 2; time++) expect(record(write, versions, (value) => value)).toEqual(apart);
      }
    }
  });

  test("share all entries if several objects have them", () => {
    const write = { live: undefined, manager: "me", apiVersion: "demo.dev/v1", versions, time: noon };
    const list = () => recordUpdate({ ...write, updated: object({ shared: 1 }, { uid: "u" }) });
    list();
    const [second, third] = [list(), list()];
    expect(third).toBe(second);
    expect(encodeManagedFields(third ?? [])).toBe(JSON.stringify(second));
    expect(encodeManagedFields(third ?? [])).toBe(JSON.stringify(second));
  });

  test("does not cache very large sets", () => {
    const spec = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`f${at}`, at]));
    const [first, second] = [created(spec, noon), created(spec, noon)];
    expect(second).toEqual(first);
    expect(second.fieldsV1).not.toBe(first.fieldsV1);
  });
});
