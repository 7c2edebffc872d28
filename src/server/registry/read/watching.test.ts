import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failure, refusal } from "../fixtures/failure.js";
import {
  testApi,
  type TestApi,
  type AssertedObject,
  type TestResource,
  type WatchReading,
} from "../fixtures/test-api.js";

let api: TestApi;
let all: TestResource;
let widgets: TestResource;
let zones: TestResource;
let namespaces = 0;
let open: WatchReading[] = [];

beforeAll(async () => {
  api = await testApi();
  all = await api.define("Widget");
  zones = await api.define("Zone", { scope: "Cluster" });
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const watching of open) await watching.close();
  open = [];
  const namespace = `ns-${namespaces++}`;
  await api.core("namespaces").make(namespace);
  await api.api.idle();
  widgets = all.in(namespace);
});

function watch(options: Parameters<TestResource["watch"]>[0] = {}, things = widgets): WatchReading {
  const watching = things.watch(options);
  open.push(watching);
  return watching;
}

/** Until everything that is ready to run has run: a watch that was begun is live. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

async function now(): Promise<string> {
  return String((await api.store.status()).revision);
}

function labelled(name: string, color: string): Promise<AssertedObject> {
  return widgets.create({ metadata: { name, labels: { color } } });
}

describe("changes", () => {
  test("arrive in order, with the object at that revision", async () => {
    const events = watch({ resourceVersion: await now() });
    const made = await widgets.make("a");
    const patched = await widgets.patch("a", "merge", { spec: { size: 1 } });
    await widgets.delete("a");
    expect(await events.next()).toEqual({ type: "ADDED", object: made });
    expect(await events.next()).toEqual({ type: "MODIFIED", object: patched });
    const deleted = await events.next();
    expect(deleted).toMatchObject({
      type: "DELETED",
      object: { metadata: { name: "a" }, spec: { size: 1 } },
    });
    expect(deleted?.object.metadata.resourceVersion).toBe(await now());
  });

  test("are limited to the requested namespace", async () => {
    const from = await now();
    const here = watch({ resourceVersion: from });
    const everywhere = all.watchEverywhere({ resourceVersion: from });
    await all.make(`other-${namespaces}`);
    await widgets.make("mine");
    expect(await here.take(1)).toEqual(["ADDED mine"]);
    expect(await everywhere.take(2)).toEqual([`ADDED other-${namespaces}`, "ADDED mine"]);
    await everywhere.close();
  });

  test("include cluster-scoped objects", async () => {
    const events = watch({ resourceVersion: await now() }, zones);
    await zones.make("north");
    expect(await events.take(1)).toEqual(["ADDED north"]);
  });

  test("are not reported for writes without effect", async () => {
    await widgets.make("a", { spec: { size: 1 } });
    const events = watch({ resourceVersion: await now() });
    await widgets.patch("a", "merge", { spec: { size: 1 } });
    await widgets.patch("a", "merge", { spec: { size: 5 } }, { dryRun: true });
    await widgets.make("b");
    expect(await events.take(1)).toEqual(["ADDED b"]);
  });

  test("share objects between watchers", async () => {
    const from = await now();
    const [one, two] = [watch({ resourceVersion: from }), watch({ resourceVersion: from })];
    // Both have to be live to be handed the same.
    const next = Promise.all([one.next(), two.next()]);
    await turn();
    await widgets.make("a");
    const [left, right] = await next;
    expect(left?.object).toBe(right?.object);
  });

  test("report the start and the end of a deletion", async () => {
    const events = watch({ resourceVersion: await now() });
    await widgets.create({ metadata: { name: "a", finalizers: ["demo.dev/x"] } });
    await widgets.delete("a");
    await widgets.patch("a", "merge", { metadata: { finalizers: null } });
    expect(await events.take(3)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
  });
});

describe("start of a watch", () => {
  test.each([undefined, "", "0"])(
    "resourceVersion %j: sends the current state first",
    async (resourceVersion) => {
      await widgets.make("a");
      await widgets.make("b");
      const events = watch({ resourceVersion });
      expect(await events.take(2)).toEqual(["ADDED a", "ADDED b"]);
      await widgets.delete("a");
      expect(await events.take(1)).toEqual(["DELETED a"]);
    },
  );

  test("a past resourceVersion: sends the missed changes first", async () => {
    const { metadata } = await widgets.make("a");
    await widgets.make("b");
    await widgets.delete("a");
    const events = watch({ resourceVersion: metadata.resourceVersion });
    await widgets.make("c");
    expect(await events.take(3)).toEqual(["ADDED b", "DELETED a", "ADDED c"]);
  });

  test("resuming at any event misses and repeats nothing", async () => {
    const from = await now();
    for (const name of ["a", "b", "c"]) await widgets.make(name);
    await widgets.patch("b", "merge", { spec: { x: 1 } });
    await widgets.delete("a");
    const expected = ["ADDED a", "ADDED b", "ADDED c", "MODIFIED b", "DELETED a"];
    let resourceVersion = from;
    for (const text of expected) {
      const events = watch({ resourceVersion });
      const event = await events.next();
      expect(`${event?.type} ${event?.object.metadata.name}`).toBe(text);
      resourceVersion = event?.object.metadata.resourceVersion ?? "";
      await events.close();
    }
  });

  test("sends more objects than one batch", async () => {
    await Promise.all(Array.from({ length: 1201 }, (_, index) => widgets.make(`w${index}`)));
    const events = await watch({
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
    }).take(1202);
    expect(events.filter((text) => text.startsWith("ADDED"))).toHaveLength(1201);
    expect(events.at(-1)).toMatch(/^BOOKMARK/);
  });

  test("refuses a compacted resourceVersion", async () => {
    const { metadata } = await widgets.make("a");
    await widgets.make("b");
    await api.store.compact((await api.store.status()).revision);
    const { text } = await failure(watch({ resourceVersion: metadata.resourceVersion }).next());
    expect(text).toBe(`410 Expired: too old resource version: ${metadata.resourceVersion} (${await now()})`);
  });

  test("refuses a resourceVersion in the future", async () => {
    const future = String(Number(await now()) + 5);
    expect(await refusal(watch({ resourceVersion: future }).next())).toBe(
      `504 Timeout: Timeout: Too large resource version: ${future}, current: ${await now()}`,
    );
  });

  test("refuses a malformed resourceVersion", async () => {
    expect(await refusal(watch({ resourceVersion: "abc" }).next())).toBe(
      '422 Invalid: widgets.demo.dev "" is invalid: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    );
  });
});

describe("sendInitialEvents", () => {
  const notOlder = { resourceVersionMatch: "NotOlderThan" };

  test("true: sends the current state, then a bookmark", async () => {
    await widgets.make("a");
    const events = watch({ sendInitialEvents: true, allowWatchBookmarks: true, ...notOlder });
    expect(await events.take(1)).toEqual(["ADDED a"]);
    expect(await events.next()).toEqual({
      type: "BOOKMARK",
      object: {
        apiVersion: "demo.dev/v1",
        kind: "Widget",
        metadata: {
          resourceVersion: await now(),
          creationTimestamp: null,
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      },
    });
    await widgets.make("b");
    expect(await events.take(1)).toEqual(["ADDED b"]);
  });

  test("true with a past resourceVersion: sends the current state", async () => {
    const { metadata } = await widgets.make("a");
    await widgets.make("b");
    const { resourceVersion } = metadata;
    const events = watch({
      sendInitialEvents: true,
      allowWatchBookmarks: true,
      resourceVersion,
      ...notOlder,
    });
    expect(await events.take(3)).toEqual(["ADDED a", "ADDED b", `BOOKMARK ${await now()}`]);
  });

  test("true without bookmarks: sends no bookmark after the current state", async () => {
    await widgets.make("a");
    const events = watch({ sendInitialEvents: true, ...notOlder });
    expect(await events.take(1)).toEqual(["ADDED a"]);
    await widgets.make("b");
    expect(await events.take(1)).toEqual(["ADDED b"]);
  });

  test("false: sends only changes", async () => {
    await widgets.make("a");
    const events = watch({ sendInitialEvents: false, resourceVersion: "0", ...notOlder });
    const next = events.take(1);
    await turn();
    await widgets.make("b");
    expect(await next).toEqual(["ADDED b"]);
  });

  test("true without objects: sends the bookmark", async () => {
    const events = watch({ sendInitialEvents: true, allowWatchBookmarks: true, ...notOlder });
    expect(await events.take(1)).toEqual([`BOOKMARK ${await now()}`]);
  });

  test.each([
    [
      { sendInitialEvents: true },
      "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    ],
    [
      { sendInitialEvents: true, resourceVersionMatch: "Exact" },
      '[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
    ],
    [
      { resourceVersionMatch: "NotOlderThan" },
      "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    ],
  ])("refuses %j", async (options, why) => {
    expect(await refusal(watch(options).next())).toBe(
      `422 Invalid: ListOptions.meta.k8s.io "" is invalid: ${why}`,
    );
  });
});

describe("selectors", () => {
  test("an object that stops matching is DELETED in its last matching state, one that starts matching is ADDED", async () => {
    await labelled("a", "red");
    const events = watch({ labelSelector: "color=red", resourceVersion: await now() });
    await labelled("b", "green");
    const left = await widgets.patch("a", "merge", { metadata: { labels: { color: "green" } } });
    await widgets.patch("a", "merge", { spec: { x: 1 } });
    const entered = await widgets.patch("b", "merge", { metadata: { labels: { color: "red" } } });
    const changed = await widgets.patch("b", "merge", { spec: { x: 1 } });
    await widgets.delete("a");
    await widgets.delete("b");
    expect(await events.next()).toMatchObject({
      type: "DELETED",
      object: {
        metadata: { name: "a", labels: { color: "red" }, resourceVersion: left.metadata.resourceVersion },
      },
    });
    expect(await events.next()).toEqual({ type: "ADDED", object: entered });
    expect(await events.next()).toEqual({ type: "MODIFIED", object: changed });
    expect(await events.take(1)).toEqual(["DELETED b"]);
  });

  test("filter the current state", async () => {
    await labelled("a", "red");
    await labelled("b", "green");
    const events = watch({ labelSelector: "color=green" });
    expect(await events.take(1)).toEqual(["ADDED b"]);
  });

  test("match a name exactly, not as a prefix", async () => {
    await widgets.make("ab");
    const events = watch({ fieldSelector: "metadata.name=a" });
    const next = events.take(2);
    await turn();
    await widgets.make("abc");
    await widgets.make("a");
    await widgets.delete("ab");
    await widgets.delete("a");
    expect(await next).toEqual(["ADDED a", "DELETED a"]);
  });

  test("refuse unsupported fields", async () => {
    expect(await refusal(watch({ fieldSelector: "spec.size=1" }).next())).toBe(
      "400 BadRequest: field label not supported: spec.size",
    );
  });
});

describe("end of a watch", () => {
  test("after timeoutSeconds", async () => {
    const events = watch({ resourceVersion: await now(), timeoutSeconds: 30 });
    const next = events.take(1);
    await api.clock.advance(29_999);
    await widgets.make("a");
    expect(await next).toEqual(["ADDED a"]);
    const last = events.take(1);
    await api.clock.advance(1);
    expect(await last).toEqual(["end"]);
  });

  test("not immediately for timeoutSeconds 0", async () => {
    const events = watch({ resourceVersion: await now(), timeoutSeconds: 0 });
    const next = events.take(1);
    await api.clock.advance(1000);
    await widgets.make("a");
    expect(await next).toEqual(["ADDED a"]);
  });

  test("when its signal aborts", async () => {
    const abort = new AbortController();
    const events = watch({ resourceVersion: await now(), signal: abort.signal, allowWatchBookmarks: true });
    const next = events.take(1);
    await turn();
    abort.abort();
    expect(await next).toEqual(["end"]);
    expect(await watch({ signal: abort.signal }).take(1)).toEqual(["end"]);
  });

  test("cancels its timers", async () => {
    const before = api.clock.timers;
    const events = watch({ resourceVersion: await now(), timeoutSeconds: 30, allowWatchBookmarks: true });
    void events.next();
    await turn();
    expect(api.clock.timers).toBe(before + 2);
    const abort = new AbortController();
    const aborted = watch({ resourceVersion: await now(), timeoutSeconds: 30, signal: abort.signal });
    const next = aborted.next();
    abort.abort();
    await next;
    expect(api.clock.timers).toBe(before + 2);
  });

  test("when the definition of its kind changes or is deleted", async () => {
    const parts = await api.define("Part");
    const definitions = api.resource("customresourcedefinitions", { group: "apiextensions.k8s.io" });
    const old = parts.type;
    const events = watch({}, parts);
    const other = watch({ resourceVersion: await now() }, widgets);
    const next = events.take(1);
    await turn();
    await definitions.patch("parts.demo.dev", "json", [
      {
        op: "add",
        path: "/spec/versions/0/schema/openAPIV3Schema/properties/more",
        value: { type: "string" },
      },
    ]);
    expect(await next).toEqual(["end"]);
    const stale = api.caller.watch(old, {})[Symbol.asyncIterator]();
    expect((await stale.next()).done).toBe(true);

    await parts.make("p");
    const again = watch({}, parts);
    expect(await again.take(1)).toEqual(["ADDED p"]);
    const last = again.take(2);
    await definitions.delete("parts.demo.dev");
    await api.api.idle();
    expect((await last).at(-1)).toBe("end");
    await widgets.make("a");
    expect(await other.take(1)).toEqual(["ADDED a"]);
  });

  test("when its reader is too slow", async () => {
    const events = watch({ resourceVersion: await now() });
    await widgets.make("a");
    expect(await events.take(1)).toEqual(["ADDED a"]);
    // It is live from its next read on.
    const live = events.take(1);
    await turn();
    await widgets.make("b");
    expect(await live).toEqual(["ADDED b"]);
    for (let index = 0; index < 10_002; index++) {
      await api.store.commit([
        { type: "put", key: `/demo.dev/widgets/${widgets.scope.namespace}/b`, value: Buffer.from("{}") },
      ]);
    }
    expect(await events.take(1)).toEqual(["end"]);
    await api.store.commit([{ type: "delete", key: `/demo.dev/widgets/${widgets.scope.namespace}/b` }]);
  });

  test("with a 503 when the store is closed", async () => {
    await using other = await testApi();
    const events = other.core("configmaps").watch({ resourceVersion: "1" });
    const refused = refusal(events.next().then(() => events.take(100)));
    await turn();
    await other.api.close();
    await other.store.close();
    expect(await refused).toMatch(/^503 ServiceUnavailable/);
  });
});
