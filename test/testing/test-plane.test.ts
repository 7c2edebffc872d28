import { describe, expect, test } from "vitest";
import { existsSync } from "node:fs";
import { ApiError, controller, defineOperator, triggers } from "fettle";
import { ConfigMap } from "fettle/kubernetes";
import { testPlane } from "fettle/testing";
import { FakeCdn, Page, Site, sites } from "./sites.js";

const hello = { metadata: { name: "hello" }, spec: { title: "Hello", pages: 2 } };

test("settled() waits for the work of the controllers", async () => {
  const cdn = new FakeCdn();
  await using plane = await testPlane({ controllers: [sites(cdn)] });
  await plane.client.create(Site, hello);
  await plane.settled();
  expect((await plane.client.list(Page)).items.map(({ metadata }) => metadata.name)).toEqual([
    "hello-1",
    "hello-2",
  ]);
  expect(cdn.pages()).toEqual({ hello: 2 });
  await plane.client.delete(Site, "hello");
  await plane.settled();
  expect(await plane.client.find(Site, "hello")).toBeUndefined();
  expect((await plane.client.list(Page)).items).toEqual([]);
  expect(cdn.pages()).toEqual({});
});

test("time moves only by advance(), which runs everything that is due", async () => {
  const cdn = new FakeCdn();
  await using plane = await testPlane({ controllers: [sites(cdn)], clock: "2030-01-01T00:00:00Z" });
  await plane.client.create(Site, hello);
  await plane.settled();
  const startTimes = async () =>
    (await plane.runs(Site, "hello")).map(({ startedAt }) => new Date(startedAt).toISOString());
  // It ran, and again when its pages were created.
  const first = ["2030-01-01T00:00:00.000Z", "2030-01-01T00:00:00.000Z"];
  expect(await startTimes()).toEqual(first);
  await plane.advance("11h59m");
  expect(await startTimes()).toEqual(first);
  await plane.advance("1m");
  expect(await startTimes()).toEqual([...first, "2030-01-01T12:00:00.000Z"]);
  await plane.advance("3d");
  expect(await startTimes()).toHaveLength(9);
});

test("operators are started with those they require, in a temporary folder, and triggers cause runs", async () => {
  const exits = triggers();
  const lines: string[] = [];
  let kept = "";
  const base = defineOperator({
    name: "base",
    setup({ folder, onStop }) {
      kept = folder;
      onStop(() => lines.push("base stopped"));
    },
  });
  const top = defineOperator({
    name: "top",
    requires: [base],
    kinds: [Site],
    async setup({ client, onStop }) {
      lines.push(`${(await client.list(Site)).items.length} sites`);
      onStop(() => lines.push("top stopped"));
      return { controllers: [controller({ for: Site, triggers: [exits], reconcile() {} })] };
    },
  });
  {
    await using plane = await testPlane({
      operators: [top],
      objects: [{ apiVersion: "demo.dev/v1", kind: "Site", ...hello }],
    });
    await plane.settled();
    exits.send("hello", "the process exited with code 1");
    await plane.settled();
    const runs = await plane.runs(Site, "hello");
    expect(runs.map(({ triggers }) => triggers[0]?.type)).toEqual(["found", "external"]);
    expect(existsSync(kept)).toBe(true);
  }
  expect(lines).toEqual(["1 sites", "top stopped", "base stopped"]);
  expect(existsSync(kept)).toBe(false);
});

test("initial objects exist with namespace and status", async () => {
  await using plane = await testPlane({
    controllers: [sites(new FakeCdn())],
    objects: [
      {
        apiVersion: "demo.dev/v1",
        kind: "Site",
        metadata: { name: "old", namespace: "team" },
        spec: { title: "Old" },
        status: { published: 7 },
      },
    ],
  });
  await plane.settled();
  const old = await plane.client.get(Site, "team/old");
  expect(old.status?.published).toBe(1);
  expect((await plane.runs(Site, "team/old"))[0]?.writes.at(-1)?.before?.status).toMatchObject({
    published: 7,
  });
});

test("manifests can be applied as text, and events can be read", async () => {
  await using plane = await testPlane({ controllers: [sites(new FakeCdn())] });
  const applied = await plane.apply(
    "{apiVersion: demo.dev/v1, kind: Site, metadata: {name: hello}, spec: {title: Hello}}",
  );
  expect(applied.map(({ outcome }) => outcome)).toEqual(["created"]);
  const ready = await plane.until(Site, "hello", (site) => site?.status?.published === 1);
  await plane.settled();
  expect(ready?.metadata.name).toBe("hello");
  expect(await plane.events()).toEqual([
    { type: "Normal", reason: "Published", message: "1 pages", count: 2, about: "Site default/hello" },
  ]);
});

test("controllers recover from an intercepted request when time passes", async () => {
  await using plane = await testPlane({ controllers: [sites(new FakeCdn())] });
  let left = 2;
  plane.intercept({
    patch: (next, { patch }) => {
      if (patch?.type === "apply" && left-- > 0) throw new Error("the network is down");
      return next();
    },
  });
  await plane.client.create(Site, { ...hello, spec: { title: "Hello" } });
  await plane.settled();
  expect((await plane.runs(Site, "hello")).map(({ outcome }) => outcome.type)).toEqual(["error"]);
  await plane.advance("1s");
  expect((await plane.runs(Site, "hello")).map(({ outcome }) => outcome.type).slice(0, 3)).toEqual([
    "error",
    "error",
    "requeue",
  ]);
  expect((await plane.client.list(Page)).items).toHaveLength(1);
});

describe("errors name what did not happen", () => {
  test("until() has the last state of the object", async () => {
    await using plane = await testPlane({ controllers: [sites(new FakeCdn())], patience: "50ms" });
    await plane.client.create(Site, hello);
    await expect(plane.until(Site, "hello", (site) => site?.status?.published === 9)).rejects.toThrow(
      /the condition for Site default\/hello did not hold within 50ms: it is \{[^]*"published": 2/,
    );
    await expect(plane.until(Site, "nobody", Boolean)).rejects.toThrow("it does not exist");
  });

  test("settled() has the busy controllers", async () => {
    const stuck = { publish: () => new Promise<void>(() => {}), remove: async () => {} };
    await using plane = await testPlane({ controllers: [sites(stuck)], patience: "50ms" });
    await plane.client.create(Site, hello);
    await expect(plane.settled()).rejects.toThrow("sites.demo.dev did not settle");
  });
});

test("many planes can run side by side", async () => {
  const counts = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      await using plane = await testPlane({ controllers: [sites(new FakeCdn())] });
      await plane.client.create(Site, { ...hello, spec: { title: "Hello", pages: index } });
      await plane.settled();
      return (await plane.client.list(Page)).items.length;
    }),
  );
  expect(counts).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test("a plane without controllers is an API", async () => {
  await using plane = await testPlane({ kinds: [Site] });
  await plane.client.create(ConfigMap, { metadata: { name: "a" } });
  await expect(plane.client.create(Site, { ...hello, spec: { title: "a", pages: -1 } })).rejects.toThrow(
    ApiError,
  );
});
