import { expect, test } from "vitest";
import type { StructuralSchema } from "../../../model/core.js";
import { conversionBetween, sameStructure } from "./conversion.js";

const text: StructuralSchema = { type: "string" };
const base: StructuralSchema = { type: "object", properties: { a: text, b: { type: "array", items: text } } };
const field = (schema: StructuralSchema): StructuralSchema => ({ type: "object", properties: { a: schema } });

test.each<[string, StructuralSchema, StructuralSchema]>([
  ["itself", base, base],
  ["a copy", base, structuredClone(base)],
  ["another order", base, { properties: { b: { items: text, type: "array" }, a: text }, type: "object" }],
  ["other words", field(text), field({ ...text, description: "x", title: "y", maxLength: 3, enum: ["a"] })],
  ["equal defaults", field({ ...text, default: "x" }), field({ default: "x", ...text })],
])("%s has the same structure", (_name, one, other) => {
  expect(sameStructure(one, other)).toBe(true);
});

test.each<[string, StructuralSchema, StructuralSchema]>([
  ["a field more", base, { ...base, properties: { ...base.properties, c: text } }],
  ["another field", field(text), { type: "object", properties: { c: text } }],
  ["a default", field(text), field({ ...text, default: "" })],
  ["another default", field({ default: { a: 1 } }), field({ default: { a: 2 } })],
  ["null", field(text), field({ ...text, nullable: true })],
  ["other items", field({ items: text }), field({ items: { type: "object" } })],
  ["a map", field({ type: "object" }), field({ type: "object", additionalProperties: text })],
  [
    "anything",
    field({ type: "object" }),
    field({ type: "object", "x-kubernetes-preserve-unknown-fields": true }),
  ],
  ["an object", field({ type: "object" }), field({ type: "object", "x-kubernetes-embedded-resource": true })],
])("%s changes the structure", (_name, one, other) => {
  expect(sameStructure(one, other)).toBe(false);
  expect(sameStructure(other, one)).toBe(false);
});

test("converts by pruning and defaulting by the target schema", () => {
  const log: string[] = [];
  const side = (apiVersion: string) => ({
    apiVersion,
    rules: {
      prune: () => [String(log.push(`${apiVersion} prune`))],
      applyDefaults: () => void log.push(`${apiVersion} default`),
      validate: () => [],
    },
  });
  const { fromStorage, toStorage } = conversionBetween(side("d/v1"), side("d/v2"));
  const object = { apiVersion: "d/v1", kind: "A", metadata: {} };
  expect(fromStorage(object).apiVersion).toBe("d/v2");
  expect(toStorage(object).apiVersion).toBe("d/v1");
  expect(log).toEqual(["d/v2 prune", "d/v2 default", "d/v1 prune", "d/v1 default"]);
});
