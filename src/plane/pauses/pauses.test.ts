import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { ConfigMap } from "../../client/kinds/kubernetes.js";
import { resource } from "../../model/index.js";
import { controller } from "../../runtime/controller/controller.js";
import { MemoryStore } from "../../store/index.js";
import { controlPlane, type ControlPlane } from "../control-plane.js";
import { annotatePause, pausesName, storePause } from "./pauses.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string() }),
  status: z.object({ title: z.string() }),
});

const sites = controller({
  for: Site,
  resync: false,
  reconcile: (site, { report }) => report({ title: site.spec.title }),
});

let store: MemoryStore;
let plane: ControlPlane;
const start = async (): Promise<void> => {
  plane = await controlPlane({ controllers: [sites], store, listen: false });
};
const restart = async (): Promise<void> => {
  await plane.stop();
  await start();
};
const site = (name: string, title: string): object => ({
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: { name },
  spec: { title },
});
/** Titles that the controller has reported, once it has nothing more to do. */
const titles = async (): Promise<readonly unknown[]> => {
  await plane.controllers.idle();
  return (await plane.client.list(Site)).items.map(({ status }) => status?.title);
};
/** Resolves when the controller has seen a change: a watch delivers it later than the write returns. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};
const handle = () => plane.controllers.get(Site);
/** Resolves when the controller has reported this title. */
const reported = async (name: string, title: string): Promise<void> => {
  for await (const { object } of plane.client.watch(Site, {
    sendInitialEvents: true,
    resourceVersionMatch: "NotOlderThan",
    allowWatchBookmarks: true,
  })) {
    if (object.metadata.name === name && object.status?.title === title) return;
  }
};

beforeEach(async () => {
  store = new MemoryStore();
  await start();
});
afterEach(async () => {
  await plane.stop();
  await store.close();
});

test("the annotation of an object pauses it, over restarts, until it is removed", async () => {
  await plane.apply(site("a", "one"), site("b", "one"));
  await reported("a", "one");
  await reported("b", "one");
  await annotatePause(plane.client, Site, { name: "a" }, true);
  await until(() => handle().isPaused("a"));
  expect(handle().pausedKeys()).toEqual(["default/a"]);
  await restart();
  expect(handle().isPaused("a")).toBe(true);
  expect(handle().isPaused("b")).toBe(false);
  await plane.apply(site("a", "two"), site("b", "two"));
  await reported("b", "two");
  expect(await titles()).toEqual(["one", "two"]);
  await annotatePause(plane.client, Site, { name: "a" }, false);
  await reported("a", "two");
  expect(handle().pausedObjects).toBe(0);
});

test("the pause of an object ends with the object", async () => {
  await plane.apply(site("a", "one"));
  await reported("a", "one");
  await annotatePause(plane.client, Site, { name: "a" }, true);
  await until(() => handle().isPaused("a"));
  await plane.client.delete(Site, "a");
  await until(() => !handle().isPaused("a"));
  await plane.apply(site("a", "again"));
  await reported("a", "again");
});

test("the pause of a controller is kept in a ConfigMap, which anybody may change", async () => {
  await plane.apply(site("a", "one"));
  await reported("a", "one");
  expect(await storePause(plane.client, sites.name, undefined, true)).toEqual(new Set([undefined]));
  await until(() => handle().isPaused());
  await restart();
  expect(handle().isPaused()).toBe(true);
  await plane.apply(site("a", "two"), site("b", "two"));
  expect(await titles()).toEqual(["one", undefined]);
  const { data } = await plane.client.get(ConfigMap, pausesName);
  expect(data).toEqual({ "sites.demo.dev": "*" });
  await plane.client.delete(ConfigMap, pausesName);
  await reported("a", "two");
  await reported("b", "two");
  expect(handle().isPaused()).toBe(false);
});

test("stores pauses of several controllers and of objects that the API does not have", async () => {
  await storePause(plane.client, "rows", "a", true);
  await Promise.all([
    storePause(plane.client, "rows", "b", true),
    storePause(plane.client, "sites.demo.dev", undefined, true),
  ]);
  expect((await plane.client.get(ConfigMap, pausesName)).data).toEqual({
    rows: "a\nb",
    "sites.demo.dev": "*",
  });
  expect(await storePause(plane.client, "rows", "a", false)).toEqual(new Set(["b"]));
  expect(await storePause(plane.client, "rows", "b", false)).toEqual(new Set());
  expect((await plane.client.get(ConfigMap, pausesName)).data).toEqual({ "sites.demo.dev": "*" });
});

test("an annotation does not end a pause by the program, nor the other way round", async () => {
  await plane.apply(site("a", "one"));
  await reported("a", "one");
  handle().pause("a");
  await annotatePause(plane.client, Site, { name: "a" }, true);
  await until(() => plane.controllers.get(Site).pausedKeys().length === 1);
  await annotatePause(plane.client, Site, { name: "a" }, false);
  await plane.apply(site("a", "two"));
  expect(handle().isPaused("a")).toBe(true);
  handle().resume("a");
  await reported("a", "two");
});
