import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testApi, type TestApi, type TestResource } from "../fixtures/test-api.js";

let api: TestApi;
let all: TestResource;
let widgets: TestResource;
let namespaces = 0;

beforeAll(async () => {
  api = await testApi();
  all = await api.define("Widget");
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  const namespace = `ns-${namespaces++}`;
  await api.core("namespaces").make(namespace);
  await api.api.idle();
  widgets = all.in(namespace);
});

async function now(): Promise<string> {
  return String((await api.store.status()).revision);
}

/** Until everything that is ready to run has run: a watch that was begun is live. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe("bookmarks", () => {
  const minute = 60_000;

  test("report the current revision, also when nothing changes", async () => {
    await using events = widgets.watch({ allowWatchBookmarks: true, resourceVersion: await now() });
    const first = events.take(1);
    await turn();
    await all.make(`elsewhere-${namespaces}`);
    const at = await now();
    await api.clock.advance(minute);
    expect(await first).toEqual([`BOOKMARK ${at}`]);
    const second = events.take(1);
    await api.clock.advance(minute);
    expect(await second).toEqual([`BOOKMARK ${at}`]);
  });

  test("contain only a resourceVersion", async () => {
    await using events = widgets.watch({ allowWatchBookmarks: true, resourceVersion: await now() });
    const next = events.next();
    await api.clock.advance(minute);
    expect((await next)?.object).toEqual({
      apiVersion: "demo.dev/v1",
      kind: "Widget",
      metadata: { resourceVersion: await now(), creationTimestamp: null },
    });
  });

  test("are sent while only unselected objects change", async () => {
    const labelSelector = "color=red";
    await using events = widgets.watch({
      allowWatchBookmarks: true,
      resourceVersion: await now(),
      labelSelector,
    });
    const next = events.take(1);
    for (let second = 0; second < 12; second++) {
      await widgets.create({ metadata: { name: `g${second}`, labels: { color: "green" } } });
      await api.clock.advance(minute / 10);
    }
    expect(await next).toEqual([expect.stringMatching(/^BOOKMARK \d+$/)]);
  });

  test("never precede the events they cover", async () => {
    await using events = widgets.watch({ allowWatchBookmarks: true, resourceVersion: await now() });
    const seen: number[] = [];
    const reading = (async () => {
      for (let event = await events.next(); event; event = await events.next()) {
        seen.push(Number(event.object.metadata.resourceVersion));
      }
    })();
    for (let round = 0; round < 40; round++) {
      await Promise.all([widgets.make(`r${round}`), api.clock.advance(minute / 2)]);
      if (round % 3 === 0) await turn();
    }
    for (let rest = 0; rest < 10; rest++) await turn();
    await events.close();
    await reading;
    expect(seen.length).toBeGreaterThan(50);
    expect(seen).toEqual([...seen].sort((left, right) => left - right));
  });

  test("are not sent unless allowWatchBookmarks is set", async () => {
    await using events = widgets.watch({ resourceVersion: await now() });
    const next = events.take(1);
    await api.clock.advance(5 * minute);
    await widgets.make("a");
    expect(await next).toEqual(["ADDED a"]);
  });

  test("are sent once more at the end of the watch", async () => {
    await using events = widgets.watch({
      allowWatchBookmarks: true,
      resourceVersion: await now(),
      timeoutSeconds: 5,
    });
    const next = events.take(3);
    await turn();
    const { metadata } = await widgets.make("a");
    await api.clock.advance(5000);
    expect(await next).toEqual(["ADDED a", `BOOKMARK ${metadata.resourceVersion}`, "end"]);
  });
});
