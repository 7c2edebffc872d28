import { describe, expect, test } from "vitest";
import { deepFreeze } from "../object/freeze.js";
import type { Json } from "../object/json.js";
import { withoutIgnored } from "./ignore.js";

const object = deepFreeze({
  metadata: {
    name: "web",
    managedFields: [{ manager: "x" }],
    annotations: { "a.b/c": "1", "*": "2", d: "3" },
  },
  spec: {
    containers: [
      { name: "a", image: "x" },
      { name: "b", image: "y" },
    ],
  },
  status: { ready: true },
});

describe("ignored fields", () => {
  test.each<[string, string[], Json]>([
    ["a field", ["status"], { metadata: object.metadata, spec: object.spec }],
    ["several", ["metadata", "status.ready"], { spec: object.spec, status: {} }],
    [
      "a name in brackets",
      ["spec", "status", 'metadata.annotations["a.b/c"]', "metadata.managedFields"],
      {
        metadata: { name: "web", annotations: { "*": "2", d: "3" } },
      },
    ],
    [
      "a star in quotes is a name",
      ["spec", "status", 'metadata["annotations"]["*"]', "metadata.managedFields"],
      {
        metadata: { name: "web", annotations: { "a.b/c": "1", d: "3" } },
      },
    ],
    [
      "in all items",
      ["metadata", "status", "spec.containers[*].image"],
      { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    ],
    [
      "in one item",
      ["metadata", "status", "spec.containers[1].image"],
      {
        spec: { containers: [{ name: "a", image: "x" }, { name: "b" }] },
      },
    ],
    [
      "a star with dots",
      ["metadata", "*.containers.*.name", "*.ready"],
      {
        spec: { containers: [{ image: "x" }, { image: "y" }] },
        status: {},
      },
    ],
    ["everything", ["*"], {}],
  ])("%s", (_title, patterns, rest) => {
    expect(withoutIgnored(object, patterns)).toEqual(rest);
  });

  test.each([
    [[]],
    [["nothing.here"]],
    [["metadata.name.deeper"]],
    [["spec.containers[0]"]],
    [["__proto__"]],
    [["toString.name"]],
  ])("%j returns the same value", (patterns) => {
    expect(withoutIgnored(object, patterns)).toBe(object);
  });

  test.each(["", ".", "a.", "a..b", "a[", "a[x]", 'a["b]', 'a["\\q"]', "a]b"])(
    "%j is no pattern",
    (pattern) => {
      expect(() => withoutIgnored({}, [pattern])).toThrow(
        `cannot ignore ${JSON.stringify(pattern)}: write a path such as`,
      );
    },
  );
});
