import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markEntriesShared } from "../../model/apply/fields/shared-sets.js";
import { deepFreeze, type JsonObject, type KubeObject, type ManagedFieldsEntry } from "../../model/core.js";
import { encodeStatus, encodeStored } from "./encode-stored.js";
import type { Draft, ResourceType } from "./resource-type.js";

const widgets = {
  group: "demo.dev",
  version: "v1",
  kind: "Widget",
  storage: { apiVersion: "demo.dev/v1", kind: "Widget" },
} as unknown as ResourceType;

function entry(manager: string, subresource?: string): ManagedFieldsEntry {
  return {
    manager,
    operation: "Update",
    apiVersion: "demo.dev/v1",
    fieldsV1: {},
    ...(subresource && { subresource }),
  };
}

const creator = deepFreeze(entry("créateur"));
const created = markEntriesShared([creator]);
const reported = markEntriesShared([creator, deepFreeze(entry("it", "status"))]);

function draft(fields: JsonObject, metadata: JsonObject = {}): Draft {
  return {
    apiVersion: "demo.dev/v1",
    kind: "Widget",
    metadata: { name: "a", ...metadata, managedFields: created as never },
    ...fields,
  };
}

/** Stored bytes of an object, as readers parse them. */
function stored(object: Draft) {
  return { object: deepFreeze(object) as unknown as KubeObject, value: encodeStored(widgets, object) };
}

/** Object with another status, written by another manager; undefined for none. */
function withStatus(object: KubeObject, status: unknown): Draft {
  const { status: _, ...rest } = object;
  const metadata = { ...object.metadata, managedFields: reported };
  return { ...rest, metadata, ...(status !== undefined && { status }) };
}

function text(value: Uint8Array | undefined): string {
  return Buffer.from(value ?? []).toString();
}

const words = fc.dictionary(fc.string(), fc.string());
const value = fc.oneof(fc.constant(undefined), fc.jsonValue({ depthSize: "small" }));
const someFields = fc.record({ spec: fc.jsonValue(), data: words }, { requiredKeys: [] });

describe("encodeStatus", () => {
  test("gives the same bytes as encodeStored", () => {
    const property = fc.property(someFields, words, value, value, (fields, annotations, before, after) => {
      const first = { ...fields, ...(before !== undefined && { status: before }) } as JsonObject;
      const live = stored(draft(first, { annotations }));
      const updated = withStatus(live.object, after);
      const short = encodeStatus(widgets, updated, live);
      expect(text(short)).toBe(text(encodeStored(widgets, updated)));
    });
    fc.assert(property);
  });

  test("adds, replaces and removes the status", () => {
    const live = stored(draft({ spec: { a: ',"managedFields":[', b: "ü" } }));
    const once = withStatus(live.object, { seen: 1, status: { status: {} } });
    const twice = withStatus(once, { seen: 2 });
    const gone = withStatus(twice, undefined);
    let before = live;
    for (const object of [once, twice, gone]) {
      const short = encodeStatus(widgets, object, before);
      expect(text(short)).toBe(text(encodeStored(widgets, object)));
      before = stored(object);
    }
  });

  test.each<[string, (object: Draft) => void]>([
    ["another spec", (object) => (object["spec"] = { a: 2 })],
    ["a field more", (object) => (object["more"] = 1)],
    ["a field less", (object) => delete object["spec"]],
    ["another label", (object) => (object.metadata["labels"] = { a: "c" })],
    ["a finalizer", (object) => (object.metadata["finalizers"] = ["a/b"])],
    ["no labels", (object) => delete object.metadata["labels"]],
    ["no owners", (object) => delete object.metadata["managedFields"]],
  ])("returns undefined for a change of %s", (_, change) => {
    const live = stored(draft({ spec: { a: 1 } }, { labels: { a: "b" } }));
    const updated = withStatus(live.object, { seen: 1 });
    expect(encodeStatus(widgets, updated, live)).toBeDefined();
    change(updated);
    expect(encodeStatus(widgets, updated, live)).toBeUndefined();
  });

  test("returns undefined if managedFields are not shared or the status is not last", () => {
    const alone = {
      ...draft({ spec: 1 }),
      metadata: { name: "a", managedFields: [entry("one")] },
    } as unknown as Draft;
    const first = stored(alone);
    expect(encodeStatus(widgets, withStatus(first.object, {}), first)).toBeUndefined();
    const middle = stored(draft({ status: { seen: 1 }, spec: { a: 1 } }));
    expect(encodeStatus(widgets, withStatus(middle.object, { seen: 2 }), middle)).toBeUndefined();
  });

  test("encodes objects of any size", () => {
    const live = stored(draft({ spec: "x".repeat(40_000) }));
    for (const length of [1, 20_000, 90_000]) {
      const updated = withStatus(live.object, { text: "€".repeat(length) });
      const bytes = encodeStatus(widgets, updated, live) ?? encodeStored(widgets, updated);
      expect(JSON.parse(text(bytes))).toEqual(updated);
    }
  });
});
