import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { encodeStored } from "../../resources/encode-stored.js";
import type { Draft } from "../../resources/resource-type.js";
import { refusal } from "../fixtures/failure.js";
import { testApi, type TestApi, type TestResource } from "../fixtures/test-api.js";
import { storeKey } from "../keys.js";

const limit = 32_768;

let api: TestApi;
let widgets: TestResource;
let maps: TestResource;
let name: string;
let count = 0;

beforeAll(async () => {
  api = await testApi();
  widgets = await api.define("Widget");
  maps = api.core("configmaps");
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  name = `w${count++}`;
  await widgets.make(name, { spec: { list: [] } });
});

const items = (length: number): number[] => Array.from({ length }, () => 0);

const keys = (length: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, ""]));

/** Stores an object that was written without a limit. */
async function storeOversized(of: string, metadata: object): Promise<void> {
  const object = {
    ...(widgets.body({ metadata: { ...widgets.target(of), uid: `uid-of-${of}`, ...metadata } })
      .object as object),
    spec: { list: items(2 * limit) },
  } as unknown as Draft;
  const key = storeKey(widgets.type, widgets.target(of));
  await api.store.commit([{ type: "put", key, value: encodeStored(widgets.type, object, "a") }]);
}

const tooMany =
  /^413 RequestEntityTooLarge: Request entity too large: \w+ "\S+" would have more than 32768 fields and list items, managedFields included/;

test.each<[string, () => Promise<unknown>]>([
  ["create", () => widgets.make(`${name}-many`, { spec: { list: items(limit) } })],
  [
    "create in a dry run",
    () =>
      widgets.create({ metadata: { name: `${name}-dry` }, spec: { list: items(limit) } }, { dryRun: true }),
  ],
  ["update", async () => widgets.update({ ...(await widgets.get(name)), spec: { list: items(limit) } })],
  ["merge patch", () => widgets.patch(name, "merge", { spec: { list: items(limit) } })],
  ["JSON Patch", () => widgets.patch(name, "json", [{ op: "add", path: "/spec/list", value: items(limit) }])],
  ["apply", () => widgets.apply(name, "me", { spec: { more: items(limit) } })],
])("an object with more fields and list items than the limit is refused by %s", async (_, write) => {
  expect(await refusal(write())).toMatch(tooMany);
});

test("managedFields count", async () => {
  await maps.make(name, { data: keys(limit / 2 - 50) });
  expect(await refusal(maps.make(`${name}-more`, { data: keys(limit / 2) }))).toMatch(tooMany);
  const more = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`more${index}`, ""]));
  expect(await refusal(maps.patch(name, "strategic", { data: more }))).toMatch(tooMany);
});

describe("an object that was stored with more", () => {
  test("can be read, shrunk and deleted, and cannot grow", async () => {
    await storeOversized("old", {});
    expect((await widgets.get("old"))["spec"]).toEqual({ list: items(2 * limit) });
    const list = items(2 * limit + 1);
    expect(await refusal(widgets.patch("old", "merge", { spec: { list } }))).toMatch(tooMany);
    await widgets.patch("old", "merge", { spec: { list: items(2 * limit - 1) } });
    expect((await widgets.delete("old")).gone).toBe(true);
  });

  test("waits for its finalizers when it is deleted", async () => {
    await storeOversized("held", { finalizers: ["demo.dev/a", "demo.dev/b"] });
    expect((await widgets.delete("held")).gone).toBe(false);
    await widgets.patch("held", "json", [{ op: "remove", path: "/metadata/finalizers/0" }]);
    await widgets.patch("held", "merge", { metadata: { finalizers: null } });
    expect(await refusal(widgets.get("held"))).toContain("404");
  });
});
