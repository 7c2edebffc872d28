import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { contentLength, encodeStored } from "../../resources/encode-stored.js";
import type { Draft } from "../../resources/resource-type.js";
import { storeKey } from "../keys.js";
import { refusal } from "../fixtures/failure.js";
import { testApi, type TestApi, type TestResource } from "../fixtures/test-api.js";

const limit = 10_000;

let api: TestApi;
let widgets: TestResource;
let name: string;
let count = 0;

beforeAll(async () => {
  api = await testApi({ maxObjectBytes: limit });
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  widgets = await api.define("Widget", { versions: [{ subresources: { status: {}, scale } }] });
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  name = `w${count++}`;
  await widgets.make(name, { spec: { text: "small" } });
});

const text = (length: number): string => "x".repeat(length);

/** Size of an object as it is stored, without the name of its writer. */
async function storedBytes(of: string): Promise<number> {
  const entry = await api.store.get(storeKey(widgets.type, widgets.target(of)));
  return entry === undefined ? NaN : contentLength(widgets.type, entry.value);
}

/** Stores an object that was written under a higher limit, by a user with a shorter name. */
async function storeOversized(of: string, metadata: object): Promise<void> {
  const object = {
    ...(widgets.body({ metadata: { ...widgets.target(of), uid: `uid-of-${of}`, ...metadata } })
      .object as object),
    spec: { text: text(2 * limit), replicas: 1 },
  } as unknown as Draft;
  const key = storeKey(widgets.type, widgets.target(of));
  await api.store.commit([{ type: "put", key, value: encodeStored(widgets.type, object, "a") }]);
}

const tooLarge = /^413 RequestEntityTooLarge: Request entity too large: Widget "\S+" would take up \d+ bytes/;

describe("an object that would be stored with more bytes than the limit", () => {
  test.each<[string, () => Promise<unknown>]>([
    ["create", () => widgets.make(`${name}-large`, { spec: { text: text(limit) } })],
    [
      "create in a dry run",
      () =>
        widgets.create({ metadata: { name: `${name}-dry` }, spec: { text: text(limit) } }, { dryRun: true }),
    ],
    [
      "create with a generated name",
      () => widgets.create({ metadata: { generateName: "g-" }, spec: { text: text(limit) } }),
    ],
    ["update", async () => widgets.update({ ...(await widgets.get(name)), spec: { text: text(limit) } })],
    ["merge patch", () => widgets.patch(name, "merge", { spec: { text: text(limit) } })],
    [
      "merge patch in a dry run",
      () => widgets.patch(name, "merge", { spec: { text: text(limit) } }, { dryRun: true }),
    ],
    [
      "JSON Patch",
      () => widgets.patch(name, "json", [{ op: "add", path: "/spec/more", value: text(limit) }]),
    ],
    ["apply", () => widgets.apply(name, "me", { spec: { more: text(limit) } })],
    ["apply that creates", () => widgets.apply(`${name}-new`, "me", { spec: { more: text(limit) } })],
    [
      "status",
      () => widgets.patch(name, "merge", { status: { text: text(limit) } }, { subresource: "status" }),
    ],
  ])("is refused by %s", async (_, write) => {
    expect(await refusal(write())).toMatch(tooLarge);
    expect(await storedBytes(name)).toBeLessThan(limit);
  });

  test("is refused by a strategic merge patch", async () => {
    const maps = api.core("configmaps");
    await maps.make(name);
    expect(await refusal(maps.patch(name, "strategic", { data: { text: text(limit) } }))).toContain(
      `the limit is ${limit}: store less in it, or split it into several objects`,
    );
  });

  test("is refused when it grows beyond the limit by many small patches", async () => {
    const outcomes: string[] = [];
    for (let part = 0; part < 14; part++) {
      const patch = widgets.patch(name, "merge", { spec: { [`part${part}`]: text(limit / 10) } });
      outcomes.push(
        await patch.then(
          () => "stored",
          () => "refused",
        ),
      );
    }
    expect(outcomes.indexOf("refused")).toBeGreaterThan(5);
    expect(outcomes.lastIndexOf("stored")).toBeLessThan(outcomes.indexOf("refused"));
    expect(await storedBytes(name)).toBeLessThanOrEqual(limit);
  });

  test("counts with its managedFields, and the message says how many bytes they take up", async () => {
    const keys = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`key-${index}`, index]));
    const maps = api.core("configmaps");
    const data = Object.fromEntries(Object.keys(keys).map((key) => [key, ""]));
    expect(await refusal(maps.make(name, { data }))).toMatch(
      /would take up 1\d{4} bytes, \d{4} of them managedFields/,
    );
  });
});

test("an object of exactly the limit is stored, one byte more is not", async () => {
  await widgets.patch(name, "merge", { spec: { text: "" } });
  const room = limit - (await storedBytes(name));
  await widgets.patch(name, "merge", { spec: { text: text(room) } });
  expect(await storedBytes(name)).toBe(limit);
  expect(await refusal(widgets.patch(name, "merge", { spec: { text: text(room + 1) } }))).toMatch(tooLarge);
});

describe("an object that was stored under a higher limit", () => {
  test("can be read, listed and deleted", async () => {
    await storeOversized("old", {});
    expect((await widgets.get("old"))["spec"]).toEqual({ text: text(2 * limit), replicas: 1 });
    expect(await widgets.names({ fieldSelector: "metadata.name=old" })).toEqual(["old"]);
    expect((await widgets.delete("old")).gone).toBe(true);
  });

  test("can shrink, also to a size above the limit, and cannot grow", async () => {
    await storeOversized("shrinking", {});
    await widgets.patch("shrinking", "merge", { spec: { text: text(2 * limit - 500) } });
    expect(await storedBytes("shrinking")).toBeGreaterThan(limit);
    expect(await refusal(widgets.patch("shrinking", "merge", { spec: { more: text(1000) } }))).toMatch(
      tooLarge,
    );
    await widgets.patch("shrinking", "merge", { spec: { text: "small" } });
    expect(await storedBytes("shrinking")).toBeLessThan(limit);
  });

  test("waits for its finalizers when it is deleted, and goes with the last of them", async () => {
    await storeOversized("held", { finalizers: ["demo.dev/a", "demo.dev/b"] });
    expect((await widgets.delete("held")).gone).toBe(false);
    await widgets.patch("held", "json", [{ op: "remove", path: "/metadata/finalizers/0" }]);
    expect((await widgets.get("held")).metadata.finalizers).toEqual(["demo.dev/b"]);
    await widgets.patch("held", "merge", { metadata: { finalizers: null } });
    expect(await refusal(widgets.get("held"))).toContain("404");
  });
});
