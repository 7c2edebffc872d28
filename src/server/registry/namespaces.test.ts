import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failure, refusal } from "./fixtures/failure.js";
import { testApi, type TestApi, type TestResource } from "./fixtures/test-api.js";

let api: TestApi;
let widgets: TestResource;
let namespaces: TestResource;
let maps: TestResource;

beforeAll(async () => {
  api = await testApi();
  widgets = await api.define("Widget");
  namespaces = api.core("namespaces");
  maps = api.core("configmaps");
});
afterAll(() => api[Symbol.asyncDispose]());

/** Creates a namespace that is terminating, held by the finalizer of an object in it. */
async function makeTerminating(name: string): Promise<void> {
  await namespaces.make(name);
  await maps.in(name).create({ metadata: { name: "holder", finalizers: ["demo.dev/x"] } });
  await namespaces.delete(name);
}

async function release(name: string): Promise<void> {
  await maps.in(name).patch("holder", "merge", { metadata: { finalizers: null } });
  await api.api.idle();
}

describe("creation in a namespace", () => {
  test("returns 404 when the namespace does not exist, before other errors", async () => {
    const missing = '404 NotFound: namespaces "missing" not found';
    expect(await refusal(widgets.in("missing").make("w"))).toBe(missing);
    expect(await refusal(widgets.in("missing").make("INVALID"))).toBe(missing);
    expect(await refusal(widgets.in("missing").apply("w", "me", {}))).toBe(missing);
  });

  test("returns 403 when the namespace is terminating", async () => {
    await makeTerminating("leaving");
    const { text, status } = await failure(widgets.in("leaving").make("w"));
    expect(text).toBe(
      '403 Forbidden: widgets.demo.dev "w" is forbidden: unable to create new content in namespace leaving because it is being terminated',
    );
    expect(status.details?.causes).toEqual([
      {
        reason: "NamespaceTerminating",
        message: "namespace leaving is being terminated",
        field: "metadata.namespace",
      },
    ]);
    expect(await refusal(widgets.in("leaving").create({ metadata: { generateName: "g-" } }))).toMatch(
      /^403 Forbidden: widgets\.demo\.dev "g-" is forbidden/,
    );
    expect(
      await refusal(widgets.in("leaving").create({ metadata: { name: "dry" } }, { dryRun: true })),
    ).toMatch(/^403 /);
    await release("leaving");
    expect(await refusal(namespaces.get("leaving"))).toMatch(/^404 /);
    expect(await refusal(widgets.in("leaving").make("w"))).toBe(
      '404 NotFound: namespaces "leaving" not found',
    );
  });

  test("updates existing objects of a terminating namespace", async () => {
    await makeTerminating("changing");
    const map = await maps.in("changing").patch("holder", "merge", { data: { a: "1" } });
    expect(map["data"]).toEqual({ a: "1" });
    await release("changing");
  });

  test("succeeds as soon as the namespace exists", async () => {
    expect(await refusal(widgets.in("soon").make("w"))).toMatch(/^404 /);
    await namespaces.make("soon");
    await widgets.in("soon").make("w");
    await namespaces.delete("soon");
    await api.api.idle();
    expect(await refusal(widgets.in("soon").make("w"))).toMatch(/^404 /);
    await namespaces.make("soon");
    await widgets.in("soon").make("w");
  });
});

describe("deletion of a namespace", () => {
  test("deletes all content, including objects whose creation was in progress", async () => {
    for (let round = 0; round < 20; round++) {
      const name = `race-${round}`;
      await namespaces.make(name);
      const creating = Array.from({ length: 20 }, (_, index) => widgets.in(name).make(`w${index}`));
      const outcomes = Promise.allSettled([...creating, namespaces.delete(name)]);
      await outcomes;
      await api.api.idle();
      expect(await widgets.in(name).names()).toEqual([]);
      expect(await refusal(namespaces.get(name))).toMatch(/^404 /);
    }
  });

  test("returns 403 for the namespace default", async () => {
    expect(await refusal(namespaces.delete("default"))).toBe(
      '403 Forbidden: namespaces "default" is forbidden: this namespace may not be deleted',
    );
  });

  test("waits for spec.finalizers, which only the finalize subresource removes", async () => {
    await namespaces.create({ metadata: { name: "patient" }, spec: { finalizers: ["demo.dev/wait"] } });
    const { object, gone } = await namespaces.delete("patient");
    expect(gone).toBe(false);
    expect(object.object).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) },
      spec: { finalizers: ["demo.dev/wait", "kubernetes"] },
      status: { phase: "Terminating" },
    });
    await api.api.idle();
    const waiting = await namespaces.get("patient");
    expect(waiting["spec"]).toEqual({ finalizers: ["demo.dev/wait"] });
    await namespaces.update({ ...waiting, spec: {} });
    expect((await namespaces.get("patient"))["spec"]).toEqual({ finalizers: ["demo.dev/wait"] });
    await namespaces.update({ ...waiting, spec: { finalizers: [] } }, { subresource: "finalize" });
    expect(await refusal(namespaces.get("patient"))).toMatch(/^404 /);
  });
});
