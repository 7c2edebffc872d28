import { describe, expect, test } from "vitest";
import { parseIdl } from "./parse-idl.js";
import { openApiName } from "./type-definition.js";

const group = "group demo.dev/v1 dev.demo.v1\n";

describe("the type description language", () => {
  test("describes types with fields", () => {
    const [widget, part] = parseIdl([
      `${group}
alias Color string in(red,blue)
kind Widget # A thing.
  metadata 1 Part
  color    2 Color? =red     # What it looks like.
  parts    3 [Part]! map(name,kind) merge(name)
  limits   4 {[int64]}* atomic
  at       5 time
  size     6 int32 =3 format(int32)
type Part atomic
  name     1 string
  widget   2 Widget
`,
    ]);
    expect(widget).toMatchObject({
      name: "Widget",
      kind: true,
      union: false,
      atomic: false,
      description: "A thing.",
      group: { name: "demo.dev/v1", group: "demo.dev", version: "v1", apiVersion: "demo.dev/v1" },
    });
    expect(widget && openApiName(widget)).toBe("dev.demo.v1.Widget");
    expect(part).toMatchObject({ name: "Part", kind: false, atomic: true });
    expect(part?.byName.get("widget")?.type).toEqual({ of: "struct", struct: widget });

    expect(widget?.byName.get("metadata")).toMatchObject({
      type: { of: "struct" },
      presence: "plain",
      number: 1,
    });
    expect(widget?.byName.get("color")).toMatchObject({
      type: { of: "scalar", scalar: "string", alias: { goName: "v1.Color", values: ["red", "blue"] } },
      presence: "pointer",
      default: "red",
      description: "What it looks like.",
    });
    expect(widget?.byNumber.get(3)).toMatchObject({
      name: "parts",
      presence: "required",
      listType: "map",
      listMapKeys: ["name", "kind"],
      patch: { strategies: ["merge"], mergeKey: "name" },
    });
    expect(widget?.byName.get("limits")).toMatchObject({
      type: { of: "map", value: { of: "list", item: { of: "scalar", scalar: "int64" } } },
      presence: "always",
      mapType: "atomic",
    });
    expect(widget?.byName.get("size")).toMatchObject({ default: 3, format: "int32" });
  });

  test("resolves types of other groups", () => {
    const types = parseIdl([
      "group meta/v1 x\ntype Meta\n  a 1 string",
      `${group}type A\n  meta 1 Meta\n  other 2 far/v2.B`,
      "group far/v2 y\ntype B\n  c 1 string",
    ]);
    expect(types.map(({ name }) => name)).toEqual(["Meta", "A", "B"]);
    const [, a] = types;
    expect(a?.fields.map(({ type }) => type.of === "struct" && type.struct.name)).toEqual(["Meta", "B"]);
  });

  test.each([
    ["kind A", 'line 1: a description begins with its "group"'],
    ["group demo v1", 'line 1: write "group name/version prefix-of-openapi-names"'],
    [`${group}  a 1 string`, "line 2: a field must be below its type"],
    [`${group}thing A`, 'line 2: "thing" is none of group, alias, kind, type, union'],
    [`${group}type a`, 'line 2: "type" needs the name of a type, such as ConfigMap'],
    [`${group}type A\ntype A`, "line 3: there is a demo.dev/v1.A already"],
    [`${group}type A big`, 'line 2: a type can be "atomic" and nothing else'],
    [`${group}kind A big`, 'line 2: a kind can be "atomic" and nothing else'],
    [`${group}kind A short()`, 'line 2: "short()" has nothing in its brackets'],
    [`${group}kind A short(a`, 'line 2: "short(a" should look like "word(a,b)"'],
    [`${group}alias A thing`, 'line 2: the alias A needs a scalar, such as "string"'],
    [`${group}alias A string big`, 'line 2: an alias cannot be "big"'],
    [`${group}type A\n  a 1`, 'line 3: a field is a name, a number and a type, such as "data 2 {string}"'],
    [`${group}type A\n  a x string`, 'line 3: "x" is not a protobuf field number'],
    [`${group}type A\n  a 1 Thing`, 'line 3: there is no type "Thing"'],
    [`${group}type A\n  a 1 [string`, 'line 3: there is no type "[string"'],
    [`${group}type A\n  a 1 string\n  a 2 string`, "line 4: A has a a already"],
    [`${group}type A\n  a 1 string\n  b 1 string`, "line 4: A.a has the number 1 already"],
    [`${group}type A\n  a 1 string set`, 'line 3: "set" says nothing about a scalar'],
    [`${group}type A\n  a 1 [string] map`, 'line 3: "map" says nothing about a list'],
    [`${group}type A\n  a 1 string atomic`, 'line 3: "atomic" says nothing about a scalar'],
    [`${group}type A\n  a 1 [string] format(x)`, 'line 3: "format" says nothing about a list'],
    [`${group}type A\n  a 1 string big`, 'line 3: a field cannot be "big"'],
    [
      `${group}type A\ntype B\n  a 1 A # Words.`,
      "line 4: describe A itself: everything that has one shares it",
    ],
  ])("%j", (description, message) => {
    expect(() => parseIdl([description]).map(({ fields }) => fields)).toThrow(message);
  });
});
