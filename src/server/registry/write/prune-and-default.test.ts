import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Draft } from "../../resources/resource-type.js";
import { refusal } from "../fixtures/failure.js";
import { testApi, type TestApi, type TestResource } from "../fixtures/test-api.js";
import { pruneAndDefault } from "./prune-and-default.js";

let api: TestApi;
let widgets: TestResource;
let maps: TestResource;

beforeAll(async () => {
  api = await testApi();
  const spec = {
    type: "object",
    properties: { color: { type: "string" }, size: { type: "integer", default: 1 } },
  };
  widgets = await api.define("Widget", { versions: [{ properties: { spec } }] });
  maps = api.core("configmaps");
});
afterAll(() => api[Symbol.asyncDispose]());

const red = { spec: { color: "red" } };

describe("tolerated input", () => {
  test("drops null and empty fields of metadata", async () => {
    const made = await widgets.create({
      metadata: { name: "hollow", labels: {}, annotations: null, finalizers: [], ownerReferences: [] },
      ...red,
    });
    expect(Object.keys(made.metadata).sort()).toEqual([
      "creationTimestamp",
      "generation",
      "managedFields",
      "name",
      "namespace",
      "resourceVersion",
      "uid",
    ]);
    const labelled = await widgets.create({ metadata: { name: "l", labels: { a: null } }, ...red });
    expect(labelled.metadata.labels).toEqual({ a: "" });
  });

  test("drops undefined fields", async () => {
    const made = await widgets.make("undefined", { spec: { color: "red", size: undefined } });
    expect(made["spec"]).toEqual({ color: "red", size: 1 });
  });

  test("finds duplicates among very many owner references with the same uid, in linear time", async () => {
    const reference = (index: number) => ({ apiVersion: "v1", kind: "Pod", name: `p${index}`, uid: "u" });
    const ownerReferences = [...Array.from({ length: 60_000 }, (_, index) => reference(index)), reference(0)];
    const draft: Draft = {
      apiVersion: "demo.dev/v1",
      kind: "Widget",
      metadata: { name: "w", ownerReferences },
    };
    await pruneAndDefault(widgets.type, draft, {}, { options: {} });
    expect(draft.metadata["ownerReferences"]).toHaveLength(60_000);
  });

  test("warns about duplicate owner references", async () => {
    const owner = {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "o",
      uid: (await maps.make("o")).metadata.uid,
    };
    const warnings: string[] = [];
    const made = await widgets.create(
      { metadata: { name: "owned", ownerReferences: [owner, { ...owner }] }, ...red },
      { warn: (text) => warnings.push(text) },
    );
    expect(made.metadata.ownerReferences).toEqual([owner]);
    expect(warnings).toEqual([
      expect.stringMatching(/^\.metadata\.ownerReferences contains duplicate entries; .*observed: /),
    ]);
  });

  test("warns about finalizers without a domain", async () => {
    const warnings: string[] = [];
    await widgets.create(
      { metadata: { name: "held", finalizers: ["b.c", "a", "demo.dev/x", "orphan"] }, ...red },
      { warn: (text) => warnings.push(text) },
    );
    expect(warnings).toEqual([
      'metadata.finalizers: "a": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "b.c": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ]);
    expect(await refusal(maps.create({ metadata: { name: "held", finalizers: ["a"] } }))).toMatch(
      /^422 Invalid: .*name is neither a standard finalizer name nor is it fully qualified/,
    );
  });
});

describe("field validation", () => {
  const body = { metadata: { name: "strict", extra: 1 }, spec: { color: "red", shape: "round" }, more: {} };
  const object = () => widgets.body(body).object;
  const duplicates = ['duplicate field "spec.color"'];
  const problems = ['unknown field "metadata.extra"', 'unknown field "more"', 'unknown field "spec.shape"'];

  test("Strict refuses unknown fields", async () => {
    const create = api.caller.create(
      widgets.type,
      widgets.scope,
      { object: object(), duplicates },
      { fieldValidation: "Strict" },
    );
    expect(await refusal(create)).toBe(
      `400 BadRequest: Widget in version "v1" cannot be handled as a Widget: strict decoding error: ${[...problems, ...duplicates].join(", ")}`,
    );
  });

  test.each(["Warn", undefined] as const)("%s warns about unknown fields", async (fieldValidation) => {
    const warnings: string[] = [];
    const options = { fieldValidation, dryRun: true, warn: (text: string) => void warnings.push(text) };
    const { object: made } = await api.caller.create(
      widgets.type,
      widgets.scope,
      { object: object(), duplicates },
      options,
    );
    expect(warnings).toEqual([...problems, ...duplicates]);
    expect(made.spec).toEqual({ color: "red", size: 1 });
  });

  test("Ignore drops unknown fields silently", async () => {
    const warn = (text: string): void => {
      throw new Error(text);
    };
    await widgets.create(body, { fieldValidation: "Ignore", warn, dryRun: true });
  });

  test("applies to built-in kinds", async () => {
    const create = maps.create({ metadata: { name: "m" }, date: {} }, { fieldValidation: "Strict" });
    expect(await refusal(create)).toBe(
      '400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "date"',
    );
  });
});
