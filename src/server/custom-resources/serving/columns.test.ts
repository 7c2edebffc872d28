import { expect, test } from "vitest";
import type { KubeObject } from "../../../model/core.js";
import { columnsOf } from "./columns.js";

const now = Date.UTC(2026, 0, 1, 1);
const widget: KubeObject = {
  apiVersion: "demo.dev/v1",
  kind: "Widget",
  metadata: { name: "one", creationTimestamp: "2026-01-01T00:55:00Z" },
  spec: {
    size: 3,
    part: 2.75,
    on: true,
    text: "x",
    none: null,
    map: { b: 1, a: [true] },
    list: ["p", "q"],
    start: "2026-01-01T00:00:00Z",
    later: "2026-01-02T00:00:00Z",
    bad: "yesterday",
    empty: "",
    big: 9_007_199_254_740_991,
  },
};

test.each([
  ["string", ".spec.text", "x"],
  ["string", ".spec.size", "3"],
  ["string", ".spec.part", "2.75"],
  ["string", ".spec.on", "true"],
  ["string", ".spec.none", "<no value>"],
  ["string", ".spec.map", '{"a":[true],"b":1}'],
  ["string", ".spec.list", '["p","q"]'],
  // As in Kubernetes, the first of several is shown.
  ["string", ".spec.list[*]", "p"],
  ["string", ".spec.missing", null],
  ["string", ".spec.list[9]", null],
  ["string", ".spec[", null],
  ["integer", ".spec.size", 3],
  ["integer", ".spec.part", 2],
  ["integer", ".spec.big", 9_007_199_254_740_991],
  ["integer", ".spec.text", null],
  ["number", ".spec.part", 2.75],
  ["number", ".spec.on", null],
  ["boolean", ".spec.on", true],
  ["boolean", ".spec.text", null],
  ["date", ".metadata.creationTimestamp", "5m"],
  ["date", ".spec.start", "60m"],
  ["date", ".spec.later", "<invalid>"],
  ["date", ".spec.bad", "<invalid>"],
  ["date", ".spec.empty", "<unknown>"],
  ["date", ".spec.missing", null],
  ["date", ".spec.size", null],
  ["other", ".spec.size", null],
])("a column of type %s shows %s as %j", (type, jsonPath, cell) => {
  const [name, column] = columnsOf([{ name: "Column", type, jsonPath }]);
  expect(name?.cell(widget, now)).toBe("one");
  expect(column?.cell(widget, now)).toBe(cell);
});

test("a definition without columns shows the age", () => {
  for (const columns of [undefined, []]) {
    expect(columnsOf(columns).map(({ name, cell }) => [name, cell(widget, now)])).toEqual([
      ["Name", "one"],
      ["Age", "5m"],
    ]);
  }
});

test("a column has the description of its definition", () => {
  const [, column] = columnsOf([
    {
      name: "Size",
      type: "integer",
      format: "int32",
      description: "how big",
      priority: 1,
      jsonPath: ".spec.size",
    },
  ]);
  expect(column).toMatchObject({
    name: "Size",
    type: "integer",
    format: "int32",
    description: "how big",
    priority: 1,
  });
  const [, bare] = columnsOf([{ name: "Size", type: "integer", jsonPath: ".spec.size" }]);
  expect(bare).toMatchObject({ description: "What stands at .spec.size.", priority: 0 });
});
