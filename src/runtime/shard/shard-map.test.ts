import fc from "fast-check";
import { expect, test } from "vitest";
import type { Lease } from "../lease/lease.js";
import { rangesOf, readMap, shardsAnnotation, writeMap, type ShardMap } from "./shard-map.js";

const carrying = (text: string): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "default", name: "sites", annotations: { [shardsAnnotation]: text } },
});

test("a map is written in short form, and reads as the same map", () => {
  const map: ShardMap = { owners: ["x", "x", "x", "y", "y", undefined, "x"], stopping: new Set(["y"]) };
  expect(writeMap(map)).toBe('{"shards":7,"owners":{"x":"0-2,6","y":"3-4"},"stopping":["y"]}');
  const owner = fc.option(fc.constantFrom("a", "b", "sites-1234"), { nil: undefined });
  fc.assert(
    fc.property(fc.array(owner, { minLength: 1, maxLength: 300 }), (owners) => {
      expect(readMap(carrying(writeMap({ owners, stopping: new Set() })))).toEqual({
        owners,
        stopping: new Set(),
      });
    }),
  );
  expect(rangesOf([])).toBe("");
});

test.each([
  "",
  "{}",
  '{"shards":2,"owners":{"a":"0-5"}}',
  '{"shards":2,"owners":{"a":"0","b":"0"}}',
  '{"shards":2,"owners":{"a":"x"}}',
])("a malformed map is an error that says what to do: %s", (text) => {
  expect(() => readMap(carrying(text))).toThrow(
    /of the Lease default\/sites cannot be read.*delete the Lease/,
  );
});
