import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { apply } from "../../../model/apply/apply.js";
import { recordUpdate } from "../../../model/apply/record-update.js";
import { objectType } from "../../../model/apply/typed/field-type.js";
import { deepFreeze, type Json, type JsonObject, type KubeObject } from "../../../model/core.js";
import type { StructuralSchema } from "../../../model/schema/structural-schema.js";
import { isApplied } from "./is-applied.js";
import { ownedFields } from "./write-children.js";

/** A kind with lists and maps of every type, by which the rules of apply itself are tested too. */
const schemas = JSON.parse(
  readFileSync(new URL("../../../model/apply/fixtures/widget-schemas.json", import.meta.url), "utf8"),
) as Readonly<Record<string, StructuralSchema>>;
const apiVersion = "demo.dev/v1";
const types = new Map([[apiVersion, objectType(schemas[apiVersion] ?? {})]]);
const write = { apiVersion, kind: "Widget", versions: { types }, time: "2026-01-01T00:00:00Z" };

const word = fc.constantFrom("x", "y", "z");
const small = fc.integer({ min: 0, max: 2 });
const names = ["a", "b", "c"];

function mapOf(value: fc.Arbitrary<Json>, minLength: number): fc.Arbitrary<JsonObject> {
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), value), { minLength, selector: ([key]) => key })
    .map((entries) => Object.fromEntries(entries));
}

function itemsOf(
  keys: readonly Json[],
  key: string,
  rest: Readonly<Record<string, fc.Arbitrary<Json>>>,
  minLength: number,
): fc.Arbitrary<Json> {
  const item = fc.tuple(fc.constantFrom(...keys), fc.record(rest, { requiredKeys: [] }));
  return fc
    .uniqueArray(item, { minLength, selector: ([name]) => name })
    .map((items) => items.map(([name, fields]) => ({ [key]: name, ...fields }) as JsonObject));
}

/** Widgets whose lists and maps have at least so many items. */
function widgetsWith(minLength: 0 | 1): fc.Arbitrary<JsonObject> {
  const any: fc.Arbitrary<Json>[] = [word, small, fc.array(small, { minLength }), mapOf(small, minLength)];
  if (minLength === 0) any.push(fc.constant(null));
  const spec = fc.record(
    {
      replicas: small,
      flag: fc.boolean(),
      labels: mapOf(word, minLength),
      // A set, items with a key (and items within), items with two keys of which one has a default, a list and a map
      // that are replaced as a whole, and what has no schema at all.
      tags: fc.uniqueArray(fc.constantFrom(...names), { minLength }),
      containers: itemsOf(
        names,
        "name",
        { image: word, env: itemsOf(names, "name", { value: word }, minLength) },
        minLength,
      ),
      ports: itemsOf([80, 53], "port", { name: word, protocol: fc.constantFrom("TCP", "UDP") }, minLength),
      steps: fc.array(fc.record({ run: word }), { minLength, maxLength: 3 }),
      color: fc.record({ red: small, green: small }),
      owners: mapOf(fc.record({ mail: word }), minLength),
      groups: mapOf(fc.uniqueArray(word, { minLength }), minLength),
      anything: mapOf(fc.oneof(...any), minLength),
    },
    { requiredKeys: minLength === 0 ? [] : ["flag"] },
  );
  return fc
    .record({ spec, labels: fc.option(mapOf(word, minLength), { nil: undefined }) })
    .map(({ spec, labels }) => {
      const metadata: JsonObject = { name: "w", ...(labels && { labels }) };
      return { apiVersion, kind: "Widget", metadata, spec };
    });
}

const widgets = widgetsWith(0);

/** One who writes: by applying, or by updating as those do who know nothing of apply. */
const writes = fc.record({
  by: fc.constantFrom("us", "other", "updater"),
  config: widgets,
});

function applied(live: KubeObject | undefined, manager: string, config: JsonObject): KubeObject {
  const result = apply({ ...write, live, manager, config, force: true });
  if ("conflicts" in result) throw new Error("a forced apply has no conflicts");
  return stored(result.object, result.managedFields);
}

function stored(object: KubeObject, managedFields: KubeObject["metadata"]["managedFields"]): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  const { spec = {} } = object as { spec?: JsonObject };
  // The one default that the schema has, as the server fills it in.
  const ports = spec["ports"] as readonly JsonObject[] | undefined;
  const filled = ports && { ports: ports.map((port) => Object.assign({ protocol: "TCP" }, port)) };
  return deepFreeze({
    ...object,
    metadata: { ...metadata, ...(managedFields && { managedFields }) },
    spec: { ...spec, ...filled },
  });
}

function written(live: KubeObject | undefined, by: string, config: JsonObject): KubeObject {
  if (by !== "updater") return applied(live, by, config);
  const updated = deepFreeze(structuredClone(config)) as unknown as KubeObject;
  return stored(updated, recordUpdate({ ...write, live, updated, manager: by }));
}

const says = (desired: JsonObject, live: KubeObject): boolean => {
  const owned = ownedFields(live, "us");
  return owned !== undefined && isApplied(desired, live as unknown as Json, owned);
};

test("what counts as applied is not changed by applying it", { timeout: 60_000 }, () => {
  const check = fc.property(fc.array(writes, { minLength: 1, maxLength: 4 }), widgets, (history, desired) => {
    let live: KubeObject | undefined;
    for (const { by, config } of history) live = written(live, by, config);
    // What is wanted is often what somebody wrote: equal by chance it would hardly ever be.
    for (const wanted of [desired, ...history.map(({ config }) => config)]) {
      if (live === undefined || !says(wanted, live)) continue;
      expect(applied(live, "us", wanted)).toEqual(live);
    }
  });
  fc.assert(check, { numRuns: 200 });
});

test("what has been applied counts as applied, whatever others have", { timeout: 60_000 }, () => {
  // An empty map or list is applied beside what others have in it; that it stands for no wish at all cannot be told from
  // one that is replaced as a whole, and costs a request.
  const check = fc.property(fc.array(writes, { maxLength: 3 }), widgetsWith(1), (history, desired) => {
    let live: KubeObject | undefined;
    for (const { by, config } of history) live = written(live, by, config);
    const after = applied(live, "us", desired);
    expect(says(desired, after)).toBe(true);
  });
  fc.assert(check, { numRuns: 200 });
});
