import { VirtualClock } from "fettle/model";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestPlane, type TestPlane } from "../test-plane.js";
import { Page, Site, sites } from "./index.js";

let plane: TestPlane;

beforeEach(async () => {
  plane = await startTestPlane({
    kinds: [Site, Page],
    controllers: [sites],
    clock: new VirtualClock("2026-01-01T08:00:00Z"),
  });
});
afterEach(() => plane[Symbol.asyncDispose]());

const hello = { metadata: { name: "hello" }, spec: { title: "Hello, world", pages: 3 } };
const names = async (): Promise<unknown> =>
  (await plane.client.list(Page)).items.map(({ metadata }) => metadata.name);

test("a site gets its pages, and says so", async () => {
  await plane.client.create(Site, hello);
  const site = await plane.until(Site, "hello", (found) => found?.status?.published === 3);
  expect(site?.status?.conditions).toMatchObject([{ type: "Ready", status: "True", reason: "Published" }]);
  expect(await names()).toEqual(["hello-1", "hello-2", "hello-3"]);
});

test("a page that somebody deletes or changes is put in order again", async () => {
  await plane.client.create(Site, hello);
  await plane.until(Site, "hello", (found) => found?.status?.published === 3);
  const { uid } = (await plane.client.get(Page, "hello-2")).metadata;
  await plane.client.delete(Page, "hello-2");
  await plane.until(Page, "hello-2", (page) => page !== undefined && page.metadata.uid !== uid);
  await plane.client.patch(Page, "hello-1", { spec: { html: "drift" } });
  const page = await plane.until(Page, "hello-1", (found) => found?.spec.html !== "drift");
  expect(page?.spec.html).toMatch(/^<h1>Hello, world<\/h1>/);
});

test("fewer pages are fewer pages", async () => {
  await plane.client.create(Site, hello);
  await plane.until(Site, "hello", (found) => found?.status?.published === 3);
  await plane.client.patch(Site, "hello", { spec: { pages: 1 } });
  await plane.untilAll(Page, (pages) => pages.length === 1);
  expect(await names()).toEqual(["hello-1"]);
});

test("a site without a title is not tried again until it has one", async () => {
  await plane.client.create(Site, { ...hello, spec: { title: " " } });
  const site = await plane.until(Site, "hello", (found) => found?.status?.conditions !== undefined);
  expect(site?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: "Stalled", reason: "NoTitle" }),
  );
  await plane.client.patch(Site, "hello", { spec: { title: "Hello" } });
  await plane.until(Site, "hello", (found) => found?.status?.published === 1);
});
