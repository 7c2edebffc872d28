import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../object/freeze.js";
import { type Json, jsonEqual, type JsonObject } from "../object/json.js";
import type { KubeObject, ManagedFieldsEntry } from "../object/object.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { apply, type ApplyResult, type ApplyConflict } from "./apply.js";
import { canonicalJson } from "./fields/canonical-json.js";
import { recordUpdate } from "./record-update.js";
import { objectType } from "./typed/field-type.js";

const schemas = JSON.parse(
  readFileSync(new URL("fixtures/widget-schemas.json", import.meta.url), "utf8"),
) as Readonly<Record<string, StructuralSchema>>;
const apiVersion = "demo.dev/v1";
const types = new Map([[apiVersion, objectType(schemas[apiVersion] ?? {})]]);
const write = { apiVersion, kind: "Widget", versions: { types }, time: "2020-01-01T00:00:00Z" };

const word = fc.constantFrom("x", "y", "z<&>", "ü");
const small = fc.integer({ min: 0, max: 3 });

/**
 * Configurations of widgets. Those of "a" and "b" have no field in common, unless `shared`: names of entries and items
 * begin with the letter, and plain fields are divided between them.
 */
function config(mine: "a" | "b", shared = false): fc.Arbitrary<JsonObject> {
  const names = ["1", "2", "3"].map((number) => `${mine}${number}`);
  const numbers = [1, 2, 3].map((number) => number * 1000 + mine.charCodeAt(0));
  const fields: Record<string, fc.Arbitrary<Json>> = {
    labels: mapOf(names, word),
    tags: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
    numbers: fc.uniqueArray(fc.constantFrom(...numbers), { minLength: 1 }),
    containers: itemsOf(names, "name", {
      image: word,
      size: small,
      env: itemsOf(names, "name", { value: word }),
    }),
    ports: itemsOf(numbers, "port", { name: word }),
    owners: mapOf(names, fc.record({ mail: word })),
    groups: mapOf(names, fc.uniqueArray(word, { minLength: 1 })),
    anything: mapOf(
      names,
      fc.oneof(word, small, fc.constant(null), fc.array(small), mapOf(["p", "q"], small)),
    ),
  };
  if (shared || mine === "a") {
    fields["replicas"] = small;
    fields["amount"] = fc.oneof(small, word);
    fields["steps"] = fc.array(fc.record({ run: word }), { minLength: 1, maxLength: 3 });
  }
  if (shared || mine === "b") {
    fields["name"] = word;
    fields["flag"] = fc.boolean();
    fields["color"] = fc.record({ red: small, green: small });
  }
  return fc
    .record({ spec: fc.record(fields, { requiredKeys: [] }), labels: fc.option(mapOf(names, word)) })
    .map(({ spec, labels }) => widget(spec as JsonObject, labels ?? undefined));
}

function widget(spec: JsonObject, labels: JsonObject | undefined): JsonObject {
  const metadata: JsonObject = labels === undefined ? { name: "w" } : { name: "w", labels };
  const object: JsonObject = { apiVersion, kind: "Widget", metadata };
  return Object.keys(spec).length === 0 ? object : { ...object, spec };
}

function mapOf(keys: readonly string[], value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom(...keys), value), { minLength: 1, selector: ([key]) => key })
    .map((entries) => Object.fromEntries(entries));
}

function itemsOf(
  keys: readonly Json[],
  key: string,
  rest: Readonly<Record<string, fc.Arbitrary<Json>>>,
): fc.Arbitrary<Json> {
  const item = fc.tuple(fc.constantFrom(...keys), fc.record(rest, { requiredKeys: [] }));
  return fc
    .uniqueArray(item, { minLength: 1, selector: ([name]) => name })
    .map((items) => items.map(([name, fields]) => ({ [key]: name, ...fields }) as JsonObject));
}

/** Object with its entries, as it would be stored. */
function stored({ object, managedFields }: Omit<ApplyResult, "changed">): KubeObject {
  const metadata = { ...object.metadata, uid: "uid", ...(managedFields && { managedFields }) };
  return deepFreeze({ ...object, metadata });
}

function tryApply(
  live: KubeObject | undefined,
  manager: string,
  config: JsonObject,
  force = false,
): ApplyResult | ApplyConflict {
  return apply({ ...write, live, manager, config: deepFreeze(config), force });
}

function mustApply(
  live: KubeObject | undefined,
  manager: string,
  config: JsonObject,
  force = false,
): KubeObject {
  const result = tryApply(live, manager, config, force);
  if ("conflicts" in result) throw new Error("there are conflicts");
  return stored(result);
}

/** Object with its lists sorted, without entries. */
function unordered(value: Json): Json {
  if (Array.isArray(value)) {
    return (value as readonly Json[])
      .map(unordered)
      .sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== "managedFields");
  return Object.fromEntries(fields.map(([name, field]) => [name, unordered(field)]));
}

function ownedBy(object: KubeObject, manager: string): Json | undefined {
  return object.metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1;
}

const empty: JsonObject = { apiVersion, kind: "Widget", metadata: { name: "w" } };
const asJson = (object: KubeObject): JsonObject => object as unknown as JsonObject;

describe("server-side apply", () => {
  test("applying twice changes nothing", () => {
    const check = fc.property(config("a", true), config("a", true), config("a", true), (a, b, again) => {
      let live = mustApply(mustApply(undefined, "a", a), "b", b, true);
      live = mustApply(live, "c", again, true);
      const result = tryApply(live, "c", again);
      if ("conflicts" in result) throw new Error("there are conflicts");
      expect(result.changed).toBe(false);
      expect(stored(result)).toEqual(live);
    });
    fc.assert(check, { numRuns: 150 });
  });

  test("two managers with disjoint fields never conflict", () => {
    const check = fc.property(config("a"), config("b"), config("a"), config("b"), (a, b, a2, b2) => {
      let live = mustApply(mustApply(undefined, "a", a), "b", b);
      live = mustApply(mustApply(live, "a", a2), "b", b2);
      expect(unordered(asJson(live))).toEqual(
        unordered(asJson(mustApply(mustApply(undefined, "a", a2), "b", b2))),
      );
    });
    fc.assert(check, { numRuns: 150 });
  });

  test("the order of disjoint applies does not matter", () => {
    const check = fc.property(config("a"), config("b"), (a, b) => {
      const one = mustApply(mustApply(undefined, "a", a), "b", b);
      const other = mustApply(mustApply(undefined, "b", b), "a", a);
      expect(unordered(asJson(one))).toEqual(unordered(asJson(other)));
      for (const manager of ["a", "b"]) expect(ownedBy(one, manager)).toEqual(ownedBy(other, manager));
    });
    fc.assert(check, { numRuns: 150 });
  });

  test("releasing all fields removes everything", () => {
    const check = fc.property(config("a", true), config("a", true), config("b", true), (a, b, c) => {
      let live = mustApply(mustApply(mustApply(undefined, "a", a), "b", b, true), "c", c, true);
      for (const manager of ["b", "a", "c"]) live = mustApply(live, manager, empty);
      expect(live).toEqual({ ...empty, metadata: { name: "w", uid: "uid" } });
    });
    fc.assert(check, { numRuns: 150 });
  });

  test("releasing all fields keeps what others applied", () => {
    const check = fc.property(config("a", true), config("a", true), (a, b) => {
      const both = mustApply(mustApply(undefined, "a", a), "b", b, true);
      const left = mustApply(both, "a", empty);
      expect(unordered(asJson(left))).toEqual(unordered({ ...asJson(mustApply(undefined, "b", b)) }));
    });
    fc.assert(check, { numRuns: 150 });
  });

  test("the result contains the applied configuration", () => {
    const check = fc.property(config("a", true), config("a", true), (before, after) => {
      const live = mustApply(mustApply(undefined, "a", before), "a", after);
      expect(unordered(asJson(live))).toEqual(unordered(asJson(mustApply(undefined, "a", after))));
    });
    fc.assert(check, { numRuns: 150 });
  });

  test("conflicts name fields that another manager owns and that would change", () => {
    const check = fc.property(config("a", true), config("a", true), (a, b) => {
      const live = mustApply(undefined, "a", a);
      const result = tryApply(live, "b", b);
      const forced = mustApply(live, "b", b, true);
      if (!("conflicts" in result)) expect(stored(result)).toEqual(forced);
      else {
        expect(result.conflicts.length).toBeGreaterThan(0);
        for (const { owner } of result.conflicts) expect(owner.manager).toBe("a");
      }
    });
    fc.assert(check, { numRuns: 150 });
  });
});

describe("updates", () => {
  const update = (live: KubeObject | undefined, manager: string, object: JsonObject): KubeObject => {
    const updated = deepFreeze(structuredClone(object)) as unknown as KubeObject;
    const managedFields = recordUpdate({ ...write, live, updated, manager });
    return stored({ object: updated, managedFields });
  };

  test("an update without changes keeps the entries", () => {
    const check = fc.property(config("a", true), config("a", true), (a, b) => {
      const live = update(mustApply(undefined, "a", a), "b", b);
      const { managedFields } = live.metadata;
      const copy = structuredClone(live);
      const request = { ...write, live, manager: "c", time: "2030-01-01T00:00:00Z" };
      expect(recordUpdate({ ...request, updated: copy })).toBe(managedFields);
      const { managedFields: _, ...metadata } = copy.metadata;
      expect(recordUpdate({ ...request, updated: { ...copy, metadata } })).toBe(managedFields);
    });
    fc.assert(check, { numRuns: 150 });
  });

  test("exactly the existing fields are owned", () => {
    const check = fc.property(config("a", true), config("a", true), config("b", true), (a, b, c) => {
      const live = update(update(update(undefined, "a", a), "b", b), "c", c);
      const all = update(undefined, "all", c);
      const fields = (entries: readonly ManagedFieldsEntry[] | undefined): Json[] =>
        (entries ?? []).map((entry) => entry.fieldsV1 ?? {});
      // The union of what the three own is what a single writer would own.
      expect(
        jsonEqual(
          together(fields(live.metadata.managedFields)),
          together(fields(all.metadata.managedFields)),
        ),
      ).toBe(true);
    });
    fc.assert(check, { numRuns: 150 });
  });
});

/** Union of several sets, in a form that does not depend on marks: every member has one. */
function together(sets: readonly Json[]): Json {
  const paths = new Set<string>();
  const visit = (node: Json, path: string): void => {
    const entries = Object.entries(node ?? {});
    if (entries.length === 0) paths.add(path);
    for (const [element, child] of entries) {
      if (element === ".") paths.add(path);
      else visit(child as Json, `${path}/${element}`);
    }
  };
  for (const set of sets) visit(set, "");
  return [...paths].sort();
}
