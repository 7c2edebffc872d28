import { describe, expect, test } from "vitest";
import type { KubeObject, ObjectMeta } from "../../model/core.js";
import { classify, sameObject } from "./classify.js";

let versions = 0;

function object(metadata: ObjectMeta, content: Readonly<Record<string, unknown>> = {}): KubeObject {
  const resourceVersion = String(++versions);
  return {
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name: "a", resourceVersion, ...metadata },
    ...content,
  };
}

const owner = { apiVersion: "v1", kind: "Thing", name: "o", uid: "u" };

describe("UPDATED", () => {
  test.each<[string, ObjectMeta, ObjectMeta]>([
    ["generation", { generation: 1 }, { generation: 2 }],
    ["a first generation", {}, { generation: 1 }],
    ["labels", { generation: 1, labels: { a: "1" } }, { generation: 1, labels: { a: "2" } }],
    ["labels that are gone", { generation: 1, labels: { a: "1" } }, { generation: 1 }],
    ["annotations", { generation: 1 }, { generation: 1, annotations: { a: "1" } }],
    ["finalizers", { generation: 1, finalizers: ["a", "b"] }, { generation: 1, finalizers: ["a"] }],
    ["owners", { generation: 1 }, { generation: 1, ownerReferences: [owner] }],
    ["deletion", { generation: 1 }, { generation: 1, deletionTimestamp: "2026-01-01T00:00:00Z" }],
  ])("%s", (_, before, after) => {
    expect(classify(object(before), object(after))).toBe("UPDATED");
    const status = { status: { n: 1 } };
    expect(classify(object(before), object(after, status)), "with another status").toBe("UPDATED");
  });

  test("without a generation: any change outside of the status", () => {
    expect(classify(object({}, { data: { a: "1" } }), object({}, { data: { a: "2" } }))).toBe("UPDATED");
    expect(classify(object({}, { data: {} }), object({}))).toBe("UPDATED");
    expect(classify(object({}, { spec: { a: [1, 2] } }), object({}, { spec: { a: [2, 1] } }))).toBe(
      "UPDATED",
    );
  });

  test("changes that do not increment the generation, also together with the status", () => {
    const before = object({ generation: 1 }, { data: { a: "1" } });
    expect(classify(before, object({ generation: 1 }, { data: { a: "2" } }))).toBe("UPDATED");
    const both = object({ generation: 1 }, { data: { a: "2" }, status: { n: 1 } });
    expect(classify(before, both)).toBe("UPDATED");
  });
});

describe("STATUS_UPDATED", () => {
  test.each([{ generation: 1 }, {}])("only the status differs: %j", (metadata) => {
    const before = object(metadata, { spec: { a: 1 }, status: { n: 1 } });
    expect(classify(before, object(metadata, { spec: { a: 1 }, status: { n: 2 } }))).toBe("STATUS_UPDATED");
    expect(classify(before, object(metadata, { spec: { a: 1 } }))).toBe("STATUS_UPDATED");
  });
});

describe("no change", () => {
  test.each([{ generation: 1 }, {}])("only bookkeeping differs: %j", (metadata) => {
    const before = object(metadata, { spec: { a: 1 }, status: {} });
    const after = object({ ...metadata, managedFields: [{ manager: "m" }] }, { spec: { a: 1 }, status: {} });
    expect(classify(before, after)).toBeUndefined();
  });

  test("the same version, or the same object without a version", () => {
    expect(classify(object({ resourceVersion: "7" }), object({ resourceVersion: "7" }))).toBeUndefined();
    const bare: KubeObject = { apiVersion: "v1", kind: "Thing", metadata: { name: "a" }, spec: { a: 1 } };
    expect(classify(bare, structuredClone(bare))).toBeUndefined();
  });
});

test("distinguishes objects of one name by uid, if they have one", () => {
  expect(sameObject(object({ uid: "1" }), object({ uid: "1" }))).toBe(true);
  expect(sameObject(object({ uid: "1" }), object({ uid: "2" }))).toBe(false);
  expect(sameObject(object({}), object({ uid: "2" }))).toBe(true);
});
