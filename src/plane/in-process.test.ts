import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigMap } from "../client/kinds/kubernetes.js";
import { ConnectionError, type Transport, type WatchEvent } from "../client/transport/transport.js";
import { isInternalError, isTimeout, VirtualClock, type KubeObject } from "../model/core.js";
import { startApi, type Api } from "../server/index.js";
import { MemoryStore } from "../store/index.js";
import { inProcess } from "./in-process.js";

/** Store whose reads can be delayed or fail. */
class PacedStore extends MemoryStore {
  before: () => Promise<void> = async () => {};

  override async get(...parameters: Parameters<MemoryStore["get"]>): ReturnType<MemoryStore["get"]> {
    await this.before();
    return super.get(...parameters);
  }
}

const scope = { namespace: "default" };
const target = { ...scope, name: "a" };

let clock: VirtualClock;
let store: PacedStore;
let api: Api;
let transport: Transport;

beforeEach(async () => {
  clock = new VirtualClock("2026-01-01T00:00:00Z");
  store = new PacedStore({ clock });
  api = await startApi({ store, clock });
  await api.idle();
  transport = inProcess(api, { clock });
});
afterEach(async () => {
  await transport[Symbol.asyncDispose]();
  await api.close();
  await store.close();
});

const make = (name = "a"): Promise<KubeObject> => transport.create(ConfigMap, scope, { metadata: { name } });

/** Error that a promise rejects with. */
async function failureOf(doing: Promise<unknown>): Promise<unknown> {
  return doing.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("objects", () => {
  test("are shared by all watchers, not copied", async () => {
    const { resourceVersion } = await transport.list(ConfigMap, scope);
    const next = async (): Promise<KubeObject | undefined> => {
      for await (const [event] of transport.watch(ConfigMap, scope, { resourceVersion }))
        return event?.object;
      return undefined;
    };
    const watching = [next(), next()];
    await make();
    const [first, second] = await Promise.all(watching);
    expect(first?.metadata.name).toBe("a");
    expect(first).toBe(second);
    expect(Object.isFrozen(first?.metadata)).toBe(true);
  });

  test("that are written are copied, so that the caller may change them afterwards", async () => {
    const labels: Record<string, string> = { a: "b" };
    const body = { metadata: { name: "a", labels } };
    const made = await transport.create(ConfigMap, scope, body);
    labels["a"] = "c";
    expect(body).toEqual({ metadata: { name: "a", labels: { a: "c" } } });
    expect(made.metadata.labels).toEqual({ a: "b" });
    expect((await transport.get(ConfigMap, target)).metadata.labels).toEqual({ a: "b" });
    const dry = await transport.create(
      ConfigMap,
      scope,
      { metadata: { name: "b", labels } },
      { dryRun: true },
    );
    expect(Object.isFrozen(dry.metadata.labels)).toBe(true);
    expect(Object.isFrozen(labels)).toBe(false);
  });
});

describe("a call", () => {
  const hang = (): void => {
    store.before = () => new Promise(() => {});
  };

  test("fails with a timeout", async () => {
    hang();
    const failing = failureOf(transport.get(ConfigMap, target, { timeout: 100 }));
    await clock.advance(100);
    expect(isTimeout(await failing)).toBe(true);
  });

  test("times out after 30 seconds by default", async () => {
    hang();
    let failed = false;
    const failing = failureOf(transport.get(ConfigMap, target)).then((error) => {
      failed = true;
      return error;
    });
    await clock.advance(29_000);
    expect(failed).toBe(false);
    await clock.advance(2000);
    expect(isTimeout(await failing)).toBe(true);
  });

  test("fails with the reason of its signal when that aborts", async () => {
    hang();
    const stop = new AbortController();
    const failing = failureOf(transport.get(ConfigMap, target, { signal: stop.signal }));
    const reason = new Error("enough");
    stop.abort(reason);
    expect(await failing).toBe(reason);
    expect(await failureOf(transport.list(ConfigMap, scope, { signal: stop.signal }))).toBe(reason);
  });

  test("shares its signal with many others without a warning about leaked listeners", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 20 }, () => transport.list(ConfigMap, scope, { signal })));
    await new Promise(setImmediate);
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  test("leaves no timer behind", async () => {
    const before = clock.timers;
    await make();
    await transport.get(ConfigMap, target, { timeout: 100 });
    await clock.advance(1000);
    expect(clock.timers).toBe(before);
  });

  test("fails with a 500 for errors of the server", async () => {
    store.before = () => Promise.reject(new RangeError("a bug"));
    const error = await failureOf(transport.get(ConfigMap, target));
    expect(isInternalError(error)).toBe(true);
    expect(error).toMatchObject({ message: expect.stringContaining("a bug") });
  });
});

describe("a watch", () => {
  test("ends when its signal aborts", async () => {
    const stop = new AbortController();
    const events: (readonly WatchEvent[])[] = [];
    await make();
    for await (const batch of transport.watch(ConfigMap, scope, { signal: stop.signal })) {
      events.push(batch);
      stop.abort();
    }
    expect(events).toHaveLength(1);
    for await (const batch of transport.watch(ConfigMap, scope, { signal: stop.signal })) events.push(batch);
    expect(events).toHaveLength(1);
  });

  test("ends when the transport is closed; the API stays open", async () => {
    const ended = (async () => {
      for await (const _ of transport.watch(ConfigMap, scope));
    })();
    await make();
    await transport[Symbol.asyncDispose]();
    await ended;
    const error = await failureOf(transport.get(ConfigMap, target));
    expect(error).toBeInstanceOf(ConnectionError);
    await using another = inProcess(api, { clock });
    expect((await another.get(ConfigMap, target)).metadata.name).toBe("a");
  });
});

test("discovery is authorized, as it is over HTTP", async () => {
  const user = { name: "guest", groups: [] };
  const guest = inProcess(api, { user, clock });
  await expect(guest.discover("v1")).rejects.toThrow('User "guest" cannot get path "/api/v1"');
  const member = inProcess(api, { user: { ...user, groups: ["system:authenticated"] }, clock });
  expect((await member.discover("v1")).map(({ kind }) => kind)).toContain("ConfigMap");
});
