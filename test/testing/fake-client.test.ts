import { expect, test } from "vitest";
import { ApiError, isConflict, isNotFound, type Client } from "fettle";
import { ConfigMap } from "fettle/kubernetes";
import { fakeClient } from "fettle/testing";
import { Site } from "./sites.js";

const hello = {
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: { name: "hello", namespace: "default" },
  spec: { title: "Hello" },
  status: { published: 3 },
};

/** Function under test: adds a page, also with concurrent writers. */
const addPage = (client: Client, name: string) =>
  client.modify(Site, name, (site) => ({ ...site, spec: { ...site.spec, pages: site.spec.pages + 1 } }));

test("has the initial objects and the rules of the real API", async () => {
  await using client = await fakeClient({ kinds: [Site], objects: [hello] });
  const site = await client.get(Site, "hello");
  expect(site).toMatchObject({ spec: { title: "Hello", pages: 1 }, status: { published: 3 } });
  await expect(client.update({ ...site, spec: { ...site.spec, pages: -1 } })).rejects.toThrow("pages");
  await client.patch(Site, "hello", { spec: { pages: 2 } });
  const stale = client.update({ ...site, spec: { ...site.spec, pages: 5 } });
  await expect(stale).rejects.toSatisfy(isConflict);
  await expect(client.get(Site, "nobody")).rejects.toSatisfy(isNotFound);
});

test("interceptors inject failures before or after a request, and can be removed", async () => {
  await using client = await fakeClient({ kinds: [Site], objects: [hello] });
  const restore = client.intercept({
    update: async (next) => {
      await next();
      throw new Error("the response was lost");
    },
  });
  await expect(addPage(client, "hello")).rejects.toThrow("the response was lost");
  expect((await client.get(Site, "hello")).spec.pages).toBe(2);
  restore();
  await addPage(client, "hello");
  expect((await client.get(Site, "hello")).spec.pages).toBe(3);
});

test("another writer causes a conflict", async () => {
  await using client = await fakeClient({ kinds: [Site], objects: [hello] });
  let once = true;
  client.intercept({
    update: async (next) => {
      if (once) {
        once = false;
        await client.patch(Site, "hello", { spec: { pages: 10 } });
      }
      return next();
    },
  });
  await addPage(client, "hello");
  expect((await client.get(Site, "hello")).spec.pages).toBe(11);
  expect(client.log().filter((line) => line.startsWith("update"))).toHaveLength(2);
});

test("all verbs can be intercepted, and the interceptor added last is called first", async () => {
  const seen: string[] = [];
  await using client = await fakeClient({
    interceptors: {
      get: (next, { name }) => {
        seen.push(`first ${name}`);
        return next();
      },
      watch: () => {
        throw new Error("no watches today");
      },
      list: async (next) => {
        const page = await next();
        return { ...page, items: [] };
      },
    },
  });
  client.intercept({
    get: (next, { name }) => {
      seen.push(`last ${name}`);
      return next();
    },
  });
  await client.create(ConfigMap, { metadata: { name: "a" } });
  await client.get(ConfigMap, "a");
  expect(seen).toEqual(["last a", "first a"]);
  expect((await client.list(ConfigMap)).items).toEqual([]);
  await expect(client.watch(ConfigMap)[Symbol.asyncIterator]().next()).rejects.toThrow("no watches today");
  client.intercept({
    delete: () => {
      throw new ApiError({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        code: 503,
        message: "busy",
      });
    },
  });
  await expect(client.delete(ConfigMap, "a")).rejects.toThrow("busy");
  expect(client.log()).toEqual([
    "create ConfigMap default/a",
    "get ConfigMap default/a",
    "list ConfigMap *",
    "watch ConfigMap *",
    "delete ConfigMap default/a",
  ]);
});
