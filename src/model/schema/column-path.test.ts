import { describe, expect, test } from "vitest";

import { parseColumnPath, schemaAt } from "./column-path.js";
import type { StructuralSchema } from "./structural-schema.js";

const schema: StructuralSchema = {
  type: "object",
  properties: {
    metadata: { type: "object" },
    spec: {
      type: "object",
      properties: {
        pages: { type: "integer" },
        "a.b": { type: "boolean" },
        labels: { type: "object", additionalProperties: { type: "string" } },
        ports: { type: "array", items: { type: "object", properties: { port: { type: "number" } } } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
};

describe("parseColumnPath and schemaAt", () => {
  test.each<[string, string | undefined]>([
    [".spec.pages", "integer"],
    [".spec['pages']", "integer"],
    ['.spec["pages"]', "integer"],
    [".spec.a\\.b", "boolean"],
    [".spec['a.b']", "boolean"],
    [".spec.labels.x", "string"],
    [".spec.labels.app\\.kubernetes\\.io/name", "string"],
    [".spec.ports", "array"],
    [".spec.ports[0].port", "number"],
    [".spec.ports[-1].port", "number"],
    [".spec.ports[*].port", "number"],
    ['.spec.ports[?(@.name=="web")].port', "number"],
    [".spec.free.what.ever", "object"],
    [".metadata.name", "string"],
    [".metadata.generation", "integer"],
    [".metadata.labels.app", "string"],
    [".spec.nothing", undefined],
    [".spec.pages.deeper", undefined],
    [".spec.ports.port", undefined],
    [".spec[0]", undefined],
    [".spec.constructor", undefined],
    [".spec.__proto__", undefined],
    [".metadata.nothing", undefined],
  ])("%s leads to %s", (path, type) => {
    const steps = parseColumnPath(path);
    expect(steps).toBeDefined();
    expect(schemaAt(schema, steps ?? [])?.type).toBe(type);
  });

  test.each([
    "",
    ".",
    "spec",
    "spec.pages",
    "..spec",
    ".spec.",
    ".spec[",
    ".spec[]",
    ".spec[x]",
    ".spec pages",
    "{.spec}",
    "$.spec",
    ".spec['a]",
  ])("rejects %j", (path) => {
    expect(parseColumnPath(path)).toBeUndefined();
  });
});
