import { readdirSync, readFileSync } from "node:fs";
import { customResourceDefinition, type KubeObject } from "fettle";
import { fakeClient, testPlane } from "fettle/testing";
import { Process, ProcessSet, processOperator } from "@fettle/process";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { memoryDriver } from "../process/driver/memory/memory-driver.js";
import { memoryProxy } from "./driver/memory/memory-proxy.js";
import {
  Backend,
  Certificate,
  Gateway,
  GatewayClass,
  HTTPRoute,
  ProxyClass,
  ProxyConfig,
  proxyOperator,
  RateLimitPolicy,
  ReferenceGrant,
} from "./index.js";

const here = new URL("./", import.meta.url);
const readme = readFileSync(new URL("README.md", here), "utf8");
const folder = new URL("manifests/", here);
const own = [ProxyClass, Backend, RateLimitPolicy, Certificate, ProxyConfig];
const kinds = [...own, GatewayClass, Gateway, HTTPRoute, ReferenceGrant, Process, ProcessSet];

const manifests = readdirSync(folder).map(
  (name) => [name, readFileSync(new URL(name, folder), "utf8")] as const,
);
const examples = [...readme.matchAll(/^```yaml\n(.*?)^```/gms)].map(
  ([, text = ""], index) => [`README.md, example ${index + 1}`, text] as const,
);

function objectsOf(text: string): readonly KubeObject[] {
  return parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
}

test.each([...manifests, ...examples])("%s is valid", async (_, text) => {
  await using client = await fakeClient({ kinds });
  const objects = objectsOf(text);
  expect(objects.length).toBeGreaterThan(0);
  for (const object of objects) await client.create(object);
});

test("the README lists every manifest", () => {
  const listed = [...readme.matchAll(/\(manifests\/([\w-]+\.yaml)\)/g)].map(([, name]) => name);
  expect(new Set(listed)).toEqual(new Set(manifests.map(([name]) => name)));
});

test("nginx serves all manifests together", async () => {
  await using plane = await testPlane({
    operators: [
      proxyOperator({
        process: processOperator({ openDriver: async ({ clock }) => memoryDriver({ clock }) }),
        openDriver: async ({ clock }) => memoryProxy({ clock }),
        findProgram: async (program) => `/usr/sbin/${program}`,
      }),
    ],
  });
  const { client } = plane;
  for (const [, text] of manifests) {
    for (const object of objectsOf(text)) {
      // Nothing listens behind the backends here.
      const { healthCheck: _, ...spec } = (object["spec"] ?? {}) as Record<string, unknown>;
      await client.create({ ...object, spec });
    }
  }
  await plane.settled();
  await plane.advance("2s");
  await plane.settled();
  const ready = (await client.list(ProxyConfig)).items.map(({ metadata, status }) => {
    const found = status?.conditions?.find(({ type }) => type === "Ready");
    return `${metadata.name}: ${found?.status} ${found?.message}`;
  });
  expect(ready.length).toBeGreaterThan(0);
  expect(ready.filter((line) => !line.includes(": True "))).toEqual([]);
  const conditions = (await client.list(HTTPRoute)).items.flatMap(({ metadata, status }) =>
    (status?.parents ?? []).flatMap(({ conditions: each = [] }) =>
      each.map(({ type, reason }) => `${metadata.name}: ${type} ${reason}`),
    ),
  );
  expect(conditions).toEqual(expect.arrayContaining(["www: Accepted Accepted"]));
  expect(conditions.filter((line) => !/: (Accepted Accepted|ResolvedRefs ResolvedRefs)$/.test(line))).toEqual(
    [],
  );
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function fieldsOf({ properties = {}, items }: Schema): readonly string[] {
  const below = Object.entries(properties).flatMap(([name, each]) => [name].concat(fieldsOf(each)));
  return items === undefined ? below : below.concat(fieldsOf(items));
}

test.each(own)("the README has every field of the spec of $kind", (kind) => {
  const { spec } = customResourceDefinition(kind) as unknown as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: Schema } } } }[] };
  };
  const fields = fieldsOf(spec.versions[0]?.schema.openAPIV3Schema.properties.spec ?? {});
  expect(fields.length).toBeGreaterThan(5);
  // In a table, as `name`, `parent.name` or `name: default`.
  const inCode = new Set(
    [...readme.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => code.split(/[\s.:[\]]+/)),
  );
  expect(fields.filter((field) => !inCode.has(field))).toEqual([]);
});
