import { expect, test } from "vitest";
import type { ManagedFieldsEntry } from "../object/object.js";
import { reuseTimes } from "./entry-times.js";

const entry: ManagedFieldsEntry = {
  manager: "a",
  operation: "Apply",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { "f:x": {} } },
};
const later = { ...entry, time: "2026-01-02T00:00:00Z" };
const other = { ...later, fieldsV1: { "f:data": { "f:y": {} } } };

test("returns the stored entries if only their times differ", () => {
  const stored = [entry];
  expect(reuseTimes(stored, [later])).toBe(stored);
});

test.each([
  ["other fields", [entry], [other]],
  ["another entry", [entry], [later, other]],
  ["none before", undefined, [later]],
  ["none now", [entry], undefined],
])("returns the new entries if they differ otherwise: %s", (_, stored, entries) => {
  expect(reuseTimes(stored, entries)).toBe(entries);
});
