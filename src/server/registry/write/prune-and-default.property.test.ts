import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../model/core.js";
import { anything, definition } from "../fixtures/definitions.js";
import { testApi, type TestApi, type AssertedObject, type TestResource } from "../fixtures/test-api.js";

const port: JsonObject = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", maxLength: 3 },
    port: { type: "integer", minimum: 1, default: 80 },
    protocol: { type: "string", enum: ["TCP", "UDP"], default: "TCP" },
  },
};
const part: JsonObject = {
  type: "object",
  properties: {
    count: { type: "integer", minimum: 0, default: 1 },
    mode: { type: "string", anyOf: [{ maxLength: 2 }, { pattern: "^long" }] },
    ports: {
      type: "array",
      items: port,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    items: { type: "array", maxItems: 2, items: port },
    free: anything,
    nested: { type: "object", default: {}, properties: { on: { type: "boolean", default: true } } },
  },
};
const properties = (description: string): JsonObject => ({
  spec: { ...part, description },
  status: part,
});

const scalar = fc.constantFrom<unknown>(0, 1, -1, 80, "a", "b", "abcd", "long one", true, null);
const portValue = fc.record(
  {
    name: fc.constantFrom("a", "b", "abcd"),
    port: scalar,
    protocol: fc.constantFrom("TCP", "X"),
    odd: scalar,
  },
  { requiredKeys: [] },
);
const partValue = fc.record(
  {
    count: scalar,
    mode: scalar,
    ports: fc.array(portValue, { maxLength: 3 }),
    tags: fc.array(fc.constantFrom("x", "y"), { maxLength: 3 }),
    items: fc.array(portValue, { maxLength: 3 }),
    free: fc.dictionary(fc.constantFrom("k", "l"), scalar),
    nested: fc.record({ on: scalar, odd: scalar }, { requiredKeys: [] }),
    odd: scalar,
  },
  { requiredKeys: [] },
);
const metadata = fc.record(
  {
    labels: fc.dictionary(fc.constantFrom("a", "b", "not/a/label"), fc.constantFrom("v", "w")),
    annotations: fc.dictionary(fc.constantFrom("a", "b"), scalar),
    finalizers: fc.constantFrom([], ["demo.dev/hold"]),
    creationTimestamp: fc.constantFrom("2020-01-01T00:00:00Z", "yesterday"),
    odd: scalar,
  },
  { requiredKeys: [] },
);
const body = fc.record({ metadata, spec: partValue, status: partValue, odd: scalar }, { requiredKeys: [] });
const valid = fc.constantFrom(
  {},
  {
    metadata: { labels: { a: "v" }, finalizers: ["demo.dev/hold"] },
    spec: { mode: "a", ports: [{ name: "a" }, { name: "b", port: 1 }], tags: ["x"], free: { k: [1] } },
  },
);
const write = fc.record({
  how: fc.constantFrom<Write["how"]>("merge", "json", "apply"),
  body,
  status: fc.boolean(),
  manager: fc.constantFrom("one", "two"),
  strict: fc.boolean(),
});
interface Write {
  readonly how: "merge" | "json" | "apply";
  readonly body: object;
  readonly status: boolean;
  readonly manager: string;
  readonly strict: boolean;
}

/** Parts of messages that differ between two servers: uids, and objects in full. */
const differing = /[\da-f]{8}-[\da-f-]{27}|patch: Invalid value: "(?:\\.|[^"\\])*"/g;

/** Outcome of a write: the object or the error, without the parts that differ between two servers, and the warnings. */
async function outcome(
  widgets: TestResource,
  { how, body: content, status, manager, strict }: Write,
): Promise<unknown> {
  const warnings: string[] = [];
  const options = {
    fieldManager: manager,
    fieldValidation: strict ? "Strict" : "Warn",
    warn: (text: string) => void warnings.push(text),
    subresource: status ? "status" : undefined,
  } as const;
  try {
    const written =
      how === "apply"
        ? await widgets.apply("w", manager, content, { ...options, force: true })
        : await widgets.patch("w", how, how === "merge" ? content : replacing(content), options);
    return { ...comparable(written), warnings };
  } catch (error) {
    return { error: String(error).replaceAll(differing, "…"), warnings };
  }
}

function replacing(content: object): object[] {
  return Object.entries(content).map(([field, value]) => ({
    op: "add",
    path: `/${field}/added`,
    value: value as unknown,
  }));
}

function comparable({ metadata, ...object }: AssertedObject): object {
  return { ...object, metadata: { ...metadata, uid: "", resourceVersion: "" } };
}

/** Changes the description in the schema: from then on, stored objects are pruned and defaulted in full. */
async function changeSchema(api: TestApi, description: string): Promise<void> {
  const definitions = api.resource("customresourcedefinitions", { group: "apiextensions.k8s.io" });
  const name = "widgets.demo.dev";
  const { spec } = definition("Widget", { versions: [{ properties: properties(description) }] });
  await definitions.patch(name, "merge", { spec });
  await api.api.idle();
}

test("skipping unchanged parts gives the same result as pruning and defaulting everything", async () => {
  await fc.assert(
    fc.asyncProperty(valid, fc.array(write, { minLength: 1, maxLength: 5 }), async (first, writes) => {
      await using quick = await testApi();
      await using careful = await testApi();
      const create = async (api: TestApi): Promise<unknown> => {
        const things = await api.define("Widget", { versions: [{ properties: properties("") }] });
        return outcome(things, { how: "apply", body: first, status: false, manager: "one", strict: false });
      };
      expect(await create(quick)).toEqual(await create(careful));
      for (const [index, each] of writes.entries()) {
        await changeSchema(careful, `the schema number ${index}`);
        expect(await outcome(quick.resource("widgets"), each)).toEqual(
          await outcome(careful.resource("widgets"), each),
        );
      }
    }),
    { numRuns: 40 },
  );
});
