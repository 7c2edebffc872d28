import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../model/core.js";
import { compileSchema } from "../../model/structural/compile-schema.js";
import type { Draft, ResourceType, Storage } from "./resource-type.js";
import { resourceType } from "./fixtures/resource-type.js";
import { encodeStored } from "./encode-stored.js";
import { PlainObject, readStored, StoredObject, type ObjectResponse } from "./stored-object.js";

const rules = compileSchema({ type: "object", "x-kubernetes-preserve-unknown-fields": true });

/** The part of a kind that stored objects use. */
function kind(
  version: string,
  storage: Partial<Storage> = {},
  more: Partial<ResourceType> = {},
): ResourceType {
  return resourceType({
    group: "demo.dev",
    version,
    kind: "Widget",
    plural: "widgets",
    rules,
    storage: {
      prefix: "/demo.dev/widgets/",
      apiVersion: "demo.dev/v1",
      kind: "Widget",
      schemaRevision: 0,
      ...storage,
    },
    ...more,
  });
}

const key = "/demo.dev/widgets/default/w";
const v1 = kind("v1");
const v2 = kind("v2");

function draft(more: JsonObject = {}, metadata: JsonObject = {}): Draft {
  return {
    apiVersion: "demo.dev/v1",
    kind: "Widget",
    metadata: { name: "a", ...metadata },
    ...more,
  };
}

function text(answer: ObjectResponse): string {
  return answer.bytes().toString();
}

/** Any JSON that an object may contain. */
const json = fc.jsonValue({ depthSize: "small" }) as fc.Arbitrary<Json>;
const fields = fc.dictionary(
  fc.string().filter((key) => key !== "apiVersion" && key !== "kind" && key !== "metadata"),
  json,
);

describe("stored bytes", () => {
  test("have no resourceVersion and start with the prefix of the kind", () => {
    const value = Buffer.from(
      encodeStored(v1, draft({ spec: 1 }, { resourceVersion: "5" }), "admin"),
    ).toString();
    expect(value).toBe(
      '{"apiVersion":"demo.dev/v1","kind":"Widget","metadata":{"fettle.dev/user":"admin","name":"a"},"spec":1}',
    );
    expect(Buffer.from(encodeStored(v1, draft(), "admin")).toString()).toBe(
      '{"apiVersion":"demo.dev/v1","kind":"Widget","metadata":{"fettle.dev/user":"admin","name":"a"}}',
    );
  });

  test.each([100, 21_000, 30_000, 70_000])("of any size: %d characters of three bytes each", (length) => {
    const object = { ...draft({ spec: "€".repeat(length) }), metadata: { name: "a", managedFields: [] } };
    const value = encodeStored(v1, object, "admin");
    expect(JSON.parse(text(new StoredObject(v1, { key, value, revision: 7 })))).toEqual({
      ...object,
      metadata: { ...object.metadata, resourceVersion: "7" },
    });
  });

  test("are sent in each version without parsing", () => {
    fc.assert(
      fc.property(fields, fc.integer({ min: 1, max: 2 ** 40 }), fc.string(), (more, revision, user) => {
        const value = encodeStored(v1, draft(more), user);
        for (const type of [v1, v2]) {
          const answer = new StoredObject(type, { key, value, revision });
          expect(answer.upToDate).toBe(true);
          const sent = JSON.parse(text(answer)) as Json;
          expect(sent).toEqual(answer.object);
          expect(Object.keys(answer.object.metadata).sort()).toEqual(["name", "resourceVersion"]);
          expect(answer.object).toMatchObject({
            apiVersion: `demo.dev/${type.version}`,
            metadata: { name: "a", resourceVersion: String(revision) },
          });
          expect(answer.size).toBe(answer.bytes().length);
        }
      }),
    );
  });

  test("are written into a given buffer", () => {
    const answer = new StoredObject(v1, {
      key,
      value: encodeStored(v1, draft({ spec: { a: "ü" } }), "admin"),
      revision: 7,
    });
    const buffer = Buffer.alloc(answer.size + 4, "-");
    expect(answer.writeTo(buffer, 2)).toBe(answer.size + 2);
    expect(buffer.toString()).toBe(`--${text(answer)}--`);
  });

  test("may be a view of a larger buffer", () => {
    const value = encodeStored(v1, draft({ spec: 1 }), "admin");
    const larger = new Uint8Array(value.length + 10);
    larger.set(value, 5);
    const answer = new StoredObject(v1, { key, value: larger.subarray(5, 5 + value.length), revision: 7 });
    expect(answer.object.spec).toBe(1);
    expect(JSON.parse(text(answer))).toEqual(answer.object);
  });

  test("of a deleted object have the resourceVersion of the deletion", () => {
    const answer = new StoredObject(v1, { key, value: encodeStored(v1, draft(), "admin"), revision: 7 }, 9);
    expect(answer.object.metadata.resourceVersion).toBe("9");
    expect(JSON.parse(text(answer))).toEqual(answer.object);
  });

  test("keep the prefix when fields look like numbers", () => {
    const answer = new StoredObject(v1, {
      key,
      value: encodeStored(v1, draft({ 0: "zero" }), "admin"),
      revision: 1,
    });
    expect(answer.upToDate).toBe(true);
    expect(answer.object).toMatchObject({ 0: "zero" });
  });

  test("are parsed once into a frozen object", () => {
    const answer = new StoredObject(v1, {
      key,
      value: encodeStored(v1, draft({ spec: { a: [] } }), "admin"),
      revision: 1,
    });
    expect(answer.object).toBe(answer.object);
    expect(Object.isFrozen((answer.object.spec as { a: unknown }).a)).toBe(true);
  });
});

describe("entries that are not up to date", () => {
  const pruning = compileSchema({
    type: "object",
    properties: { spec: { type: "object", properties: { a: { type: "integer", default: 1 } } } },
  });

  test("are pruned and defaulted if written under an earlier schema", () => {
    const type = kind("v1", { schemaRevision: 5 }, { rules: pruning });
    const value = encodeStored(v1, draft({ spec: { b: 2 } }), "admin");
    const before = new StoredObject(type, { key, value, revision: 5 });
    expect(before.upToDate).toBe(false);
    expect(before.object.spec).toEqual({ a: 1 });
    expect(JSON.parse(text(before))).toEqual(before.object);
    const after = new StoredObject(type, { key, value, revision: 6 });
    expect(after.upToDate).toBe(true);
    expect(after.object.spec).toEqual({ b: 2 });
  });

  test("are returned in the requested version if stored in an earlier one", () => {
    const value = encodeStored(kind("v1", { apiVersion: "demo.dev/v0" }), draft({ spec: 1 }), "admin");
    const answer = new StoredObject(v1, { key, value, revision: 5 });
    expect(answer.upToDate).toBe(false);
    expect(answer.object).toMatchObject({ apiVersion: "demo.dev/v1", spec: 1 });
    expect(JSON.parse(text(answer))).toEqual(answer.object);
  });

  test("are converted for a version with a conversion", () => {
    const conversion = {
      fromStorage: (object: Draft): Draft => ({ ...object, spec: { converted: object["spec"] as Json } }),
      toStorage: (object: Draft): Draft => object,
    };
    const answer = new StoredObject(kind("v2", { conversion }), {
      key,
      value: encodeStored(v1, draft({ spec: 1 }), "admin"),
      revision: 5,
    });
    expect(answer.upToDate).toBe(true);
    expect(answer.object.spec).toEqual({ converted: 1 });
    expect(JSON.parse(text(answer))).toEqual(answer.object);
  });

  test("throw a SyntaxError if the value is truncated", () => {
    expect(() => new StoredObject(v1, { key, value: Buffer.from('{"api'), revision: 1 })).toThrow(
      SyntaxError,
    );
  });
});

test("readStored returns a mutable object", () => {
  const read = readStored(v1, { value: encodeStored(v1, draft({ spec: { a: 1 } }), "admin"), revision: 3 });
  (read["spec"] as { a: number }).a = 2;
  expect(read).toEqual({
    apiVersion: "demo.dev/v1",
    kind: "Widget",
    metadata: { name: "a", resourceVersion: "3" },
    spec: { a: 2 },
  });
});

test("PlainObject encodes its object", () => {
  const plain = new PlainObject({ apiVersion: "v1", kind: "Scale", metadata: { name: "ü" } });
  const buffer = Buffer.alloc(plain.size + 1);
  expect(plain.writeTo(buffer, 1)).toBe(plain.size + 1);
  expect(JSON.parse(buffer.subarray(1).toString())).toEqual(plain.object);
  expect(Object.isFrozen(plain.object.metadata)).toBe(true);
});
