import { expect, test } from "vitest";
import { fromStatus } from "../../model/core.js";
import { problemsOf } from "./refusal.js";

const typed = "failed to create typed patch object (default/a; demo.dev/v1, Kind=Site): ";

test.each([
  [
    `${typed}.spec.title: expected string, got &value.valueUnstructured{Value:3}`,
    ["spec.title: expected string, got 3"],
  ],
  [
    `${typed}errors:\n  .spec.a: field not declared in schema\n  .spec.ports[name="x"].b: expected map, got &{[1]}`,
    ["spec.a: unknown field", 'spec.ports[name="x"].b: expected map, got &{[1]}'],
  ],
  [
    'strict decoding error: unknown field "spec.a", unknown field "spec.b"',
    ["spec.a: unknown field", "spec.b: unknown field"],
  ],
  ["the server has had enough", ["the server has had enough"]],
])("finds the field of a problem in the message: %s", (message, lines) => {
  const found = problemsOf(fromStatus({ code: 500, message }));
  expect(found.map((each) => each.message)).toEqual(lines);
  for (const { field, message } of found)
    if (field !== undefined) expect(message.startsWith(`${field}: `)).toBe(true);
});

test("reports one problem per cause", () => {
  const causes = [
    { reason: "FieldValueInvalid", field: "spec.pages", message: "Invalid value: 0" },
    { reason: "FieldValueRequired", field: "spec.title", message: "Required value" },
  ];
  const error = fromStatus({ code: 422, reason: "Invalid", message: "all at once", details: { causes } });
  expect(problemsOf(error)).toEqual([
    { field: "spec.pages", message: "spec.pages: Invalid value: 0" },
    { field: "spec.title", message: "spec.title: Required value" },
  ]);
});
