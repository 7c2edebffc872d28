import { expect, test } from "vitest";
import { renderPath } from "../../../model/apply/fields/path-element.js";
import { objectOf } from "../../runs/fixtures/sample-run.js";
import { changedFields } from "./changed-fields.js";

type Content = Readonly<Record<string, unknown>>;

test.each<[string, Content, Content, readonly string[]]>([
  ["nothing", { spec: { a: 1, list: [1] } }, { spec: { list: [1], a: 1 } }, []],
  ["a value", { spec: { a: 1, b: 1 } }, { spec: { a: 2, b: 1 } }, [".spec.a 1 → 2"]],
  ["a field that came", { spec: {} }, { spec: { a: null } }, [".spec.a undefined → null"]],
  ["a map that came", {}, { spec: { a: { b: 1 } } }, [".spec.a.b undefined → 1"]],
  ["a map that went", { spec: { a: { b: 1 } } }, { spec: {} }, [".spec.a.b 1 → undefined"]],
  ["an empty map", { spec: {} }, {}, [".spec {} → undefined"]],
  ["a map in place of a value", { a: 1 }, { a: { b: 1 } }, ['.a 1 → {"b":1}']],
  ["a list without keys", { a: [1, 2] }, { a: [2, 1] }, [".a [1,2] → [2,1]"]],
  [
    "items of a list with keys, wherever they are",
    { a: [{ name: "x", v: 1 }, { name: "y" }] },
    { a: [{ name: "y" }, { name: "x", v: 2 }, { name: "z" }] },
    ['.a[name="x"].v 1 → 2', '.a[name="z"].name undefined → "z"'],
  ],
  ["names that objects have anyway", { a: {} }, { a: { constructor: 1 } }, [".a.constructor undefined → 1"]],
])("tells %s", (_, before, after, told) => {
  const fields = changedFields(objectOf("Site", "x", "1", before), objectOf("Site", "x", "2", after));
  const text = fields.map(
    ({ path, from, to }) => `${renderPath(path)} ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
  );
  expect(text).toEqual(told);
});
