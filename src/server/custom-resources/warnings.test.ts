import { expect, test } from "vitest";
import type { StructuralSchema } from "../../model/core.js";
import type { Definition, DefinitionVersion } from "./definition.js";
import { definitionWarnings } from "./warnings.js";

function withVersion(version: Partial<DefinitionVersion>): Definition {
  const names = { plural: "widgets", kind: "Widget" };
  const versions = [{ name: "v1", ...version }];
  const spec = { group: "demo.dev", names, scope: "Cluster", versions };
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: {}, spec };
}

test.each<[StructuralSchema, string[]]>([
  [{ type: "string", format: "date-time" }, []],
  [{ type: "string", format: "k8s-short-name" }, []],
  [{ type: "integer", format: "int32" }, []],
  [{ type: "number", format: "double" }, []],
  [{ type: "string", format: "int32" }, ['unrecognized format "int32"']],
  [{ type: "integer", format: "uint8" }, ['unrecognized format "uint8"']],
  [{ type: "object", format: "x" }, ['unrecognized format "x"']],
  [
    { anyOf: [{ items: { format: "a" } }], additionalProperties: { not: { format: "a" } } },
    ['unrecognized format "a"'],
  ],
  [
    { type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } },
    [
      'x-kubernetes-list-type: set for items of type "object" is not supported by server-side apply or CEL validation rules',
    ],
  ],
])("%j", (schema, warnings) => {
  const openAPIV3Schema = { type: "object", properties: { a: schema } } as const;
  expect(definitionWarnings(withVersion({ schema: { openAPIV3Schema } }))).toEqual(warnings);
});

test("warns about columns with an invalid path", () => {
  const additionalPrinterColumns = [
    { name: "A", type: "string", jsonPath: ".spec.a" },
    { name: "B", type: "string", jsonPath: ".spec[" },
  ];
  expect(definitionWarnings(withVersion({ additionalPrinterColumns }))).toEqual([
    'spec.versions[0].additionalPrinterColumns[1].jsonPath: the column "B" stays empty, since its path cannot be read: unterminated array',
  ]);
});
