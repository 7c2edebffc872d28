import { readdirSync, readFileSync } from "node:fs";
import { customResourceDefinition } from "fettle";
import { fakeClient } from "fettle/testing";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { Process, ProcessSet } from "./kinds.js";

const here = new URL("./", import.meta.url);
const readme = readFileSync(new URL("README.md", here), "utf8");
const folder = new URL("manifests/", here);

const texts = [
  ...readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), "utf8")] as const),
  ...[...readme.matchAll(/^```yaml\n(.*?)^```/gms)].map(
    ([, text = ""], index) => [`README.md, example ${index + 1}`, text] as const,
  ),
];

test.each(texts)("%s is valid", async (_, text) => {
  await using client = await fakeClient({ kinds: [Process, ProcessSet] });
  const documents = parseAllDocuments(text);
  expect(documents.length).toBeGreaterThan(0);
  for (const document of documents) await client.create(document.toJS());
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function fieldsOf({ properties = {}, items }: Schema): readonly string[] {
  const below = Object.entries(properties).flatMap(([name, each]) => [name].concat(fieldsOf(each)));
  return items === undefined ? below : below.concat(fieldsOf(items));
}

test.each([Process, ProcessSet])("the README has every field of the spec of $kind", (kind) => {
  const { spec } = customResourceDefinition(kind) as unknown as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: Schema } } } }[] };
  };
  const fields = fieldsOf(spec.versions[0]?.schema.openAPIV3Schema.properties.spec ?? {});
  expect(fields.length).toBeGreaterThan(20);
  // In a table, as `name`, `parent.name` or `name: default`.
  const inCode = new Set(
    [...readme.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => code.split(/[\s.:[\]]+/)),
  );
  expect(fields.filter((field) => !inCode.has(field))).toEqual([]);
});
