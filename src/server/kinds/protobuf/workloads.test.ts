import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { normalizeObject } from "../typed/normalize.js";
import { removeUnknownFields } from "../typed/unknown-fields.js";
import { findBuiltInKind } from "../types.js";
import { decodeProtobuf } from "./decode.js";

const fixture = readFileSync(new URL("../fixtures/workloads.txt", import.meta.url), "utf8");
const samples = fixture
  .trimEnd()
  .split("\n\n")
  .slice(1)
  .map((block) => block.split("\n"));

describe.each(samples)("%s", (_, type = "", bytes = "", json = "") => {
  const [apiVersion = "", kind = ""] = type.split(" ");
  const object = { apiVersion, kind, metadata: {}, ...(JSON.parse(json) as object) };
  const struct = findBuiltInKind(apiVersion, kind);

  test("has no field that the type description lacks", () => {
    expect(struct && removeUnknownFields(struct, structuredClone(object))).toEqual([]);
  });

  test("is the same in protobuf and in JSON", () => {
    const normal = structuredClone(object);
    normalizeObject(normal);
    expect(decodeProtobuf(Buffer.from(bytes, "base64")).object).toEqual(normal);
  });

  test("keeps every value", () => {
    const normal = structuredClone(object);
    normalizeObject(normal);
    expect(normal).toMatchObject(withoutEmpty(object) as object);
  });
});

/** Object without the empty values that Go writes. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(entries.map(([key, part]) => [key, withoutEmpty(part)]));
}
