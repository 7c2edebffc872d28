import { describe, expect, test } from "vitest";
import type { ObjectChange, ChangeType } from "../../client/source/source.js";
import type { KubeObject, ObjectMeta } from "../../model/core.js";
import { and, anything, changed, desired, not, or, type Predicate } from "./predicates.js";

function site(metadata: ObjectMeta = {}, more: object = {}): KubeObject {
  return {
    apiVersion: "demo.dev/v1",
    kind: "Site",
    metadata: { name: "hello", generation: 1, resourceVersion: "1", ...metadata },
    ...more,
  };
}

function change(type: ChangeType, object = site(), old?: KubeObject): ObjectChange {
  return { type, object, initial: false, ...(old && { old }) };
}

const updated = (metadata: ObjectMeta, more?: object): ObjectChange =>
  change("UPDATED", site({ resourceVersion: "2", ...metadata }, more), site());

describe("a change of", () => {
  test.each<[keyof typeof changed, ObjectChange, boolean]>([
    ["generation", updated({ generation: 2 }), true],
    ["generation", updated({ labels: { a: "1" } }), false],
    ["generation", updated({ deletionTimestamp: "2026-01-01T00:00:00Z" }), true],
    ["labels", updated({ labels: { a: "1" } }), true],
    ["labels", updated({ generation: 2 }), false],
    ["labels", change("UPDATED", site({ labels: { a: "1" } }), site({ labels: { a: "1" } })), false],
    ["labels", change("UPDATED", site(), site({ labels: { a: "1" } })), true],
    ["annotations", updated({ annotations: { a: "1" } }), true],
    ["annotations", updated({ labels: { a: "1" } }), false],
    ["resourceVersion", updated({}), true],
    ["resourceVersion", change("UPDATED", site(), site()), false],
    ["status", updated({}, { status: { ready: true } }), true],
    ["status", updated({ generation: 2 }), false],
  ])("%s", (what, example, expected) => {
    expect(changed[what](example)).toBe(expected);
  });

  test.each(Object.keys(changed) as (keyof typeof changed)[])(
    "%s: creation and deletion always count, also when the deleted object is as it was last seen",
    (what) => {
      expect(changed[what](change("CREATED"))).toBe(true);
      expect(changed[what](change("DELETED", site(), site()))).toBe(true);
    },
  );

  test("generation, for kinds that do not count them", () => {
    const map = (data: string): KubeObject => {
      return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data: { data } } as KubeObject;
    };
    expect(changed.generation(change("UPDATED", map("2"), map("1")))).toBe(true);
    expect(changed.generation(change("STATUS_UPDATED", map("2"), map("1")))).toBe(false);
  });
});

test("by default everything matters but the status alone", () => {
  expect(desired(change("STATUS_UPDATED"))).toBe(false);
  for (const type of ["CREATED", "UPDATED", "DELETED"] as const) expect(desired(change(type))).toBe(true);
  expect(anything(change("STATUS_UPDATED"))).toBe(true);
});

describe("by default, with a generation that stays,", () => {
  test.each<[string, ObjectChange, boolean]>([
    ["another spec", updated({}, { spec: { pages: 2 } }), true],
    ["another spec and status", updated({}, { spec: { pages: 2 }, status: { ready: true } }), true],
    ["labels", updated({ labels: { a: "1" } }), true],
    ["annotations", updated({ annotations: { a: "1" } }), true],
    ["finalizers", updated({ finalizers: ["a"] }), false],
    ["finalizers and another status", updated({ finalizers: ["a"] }, { status: { ready: true } }), false],
    ["bookkeeping", updated({ managedFields: [{ manager: "m" }] }), false],
  ])("%s", (_, example, expected) => {
    expect(desired(example)).toBe(expected);
  });
});

test("predicates can be put together, with ones of one's own", () => {
  const isHello: Predicate = ({ object }) => object.metadata.name === "hello";
  const labelled = updated({ labels: { a: "1" } });
  expect(or(changed.generation, changed.labels)(labelled)).toBe(true);
  expect(and(changed.generation, changed.labels)(labelled)).toBe(false);
  expect(and(isHello, not(changed.generation))(labelled)).toBe(true);
  expect(or()(labelled)).toBe(false);
  expect(and()(labelled)).toBe(true);
});

test("what compares counts creation and deletion also when it is negated or combined", () => {
  const quiet = [
    not(changed.annotations),
    not(or(changed.labels, changed.annotations)),
    and(changed.generation, not(changed.annotations)),
  ];
  for (const predicate of quiet) {
    expect(predicate(change("CREATED"))).toBe(true);
    expect(predicate(change("DELETED"))).toBe(true);
    expect(predicate(updated({ annotations: { a: "1" } }))).toBe(false);
  }
  const isHello: Predicate = ({ object }) => object.metadata.name === "hello";
  expect(not(isHello)(change("CREATED"))).toBe(false);
  expect(not(and(isHello, changed.labels))(change("CREATED"))).toBe(false);
});
