import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { controlPlane } from "../../src/plane/control-plane.js";
import { memoryState, openState, redisState, type OpenState, type State } from "../../src/events/index.js";
import type { Json } from "../../src/model/core.js";
import { describeWith, redis } from "../components/index.js";

/**
 * The state store of the NRDOT control loop, in TypeScript: `get` through a cache, `set` with a time to live in seconds, and `watch`
 * by pattern. Cache, encoding and locking are those of the state.
 */
class StateStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  get(key: string): Promise<Json | undefined> {
    return this.#state.get(key);
  }

  async set(key: string, value: Json, ttl?: number): Promise<void> {
    await this.#state.set(key, value, ttl === undefined ? {} : { ttl: ttl * 1000 });
  }

  async *watch(pattern: string, ready: () => void): AsyncGenerator<[string, Json | undefined]> {
    const changes = this.#state.watch(pattern);
    await changes.ready;
    ready();
    for await (const { key, value } of changes) yield [key, value];
  }
}

function suite(open: () => Promise<OpenState>): void {
  test("gets what was set, also from the cache, until its time is over", async () => {
    await using state = await open();
    const store = new StateStore(state);
    expect(await store.get("backend/1")).toBeUndefined();
    await store.set("backend/1", { address: "10.0.0.1", healthy: true });
    const first = await store.get("backend/1");
    expect(first).toEqual({ address: "10.0.0.1", healthy: true });
    expect(await store.get("backend/1")).toEqual(first);
    const expiry = state.watch("backend/2");
    await expiry.ready;
    await store.set("backend/2", { healthy: true }, 0.05);
    for await (const { value } of expiry) if (value === undefined) break;
    expect(await store.get("backend/2")).toBeUndefined();
    expect(await store.get("backend/1")).toEqual(first);
  });

  test("watches keys by pattern", async () => {
    await using state = await open();
    const store = new StateStore(state);
    const seen: unknown[] = [];
    let ready = (): void => {};
    const watching = new Promise<void>((resolve) => (ready = resolve));
    const reader = (async () => {
      for await (const change of store.watch("backend/*", ready)) if (seen.push(change) === 2) break;
    })();
    await watching;
    await store.set("backend/1", { healthy: false });
    await store.set("config/1", {});
    await store.set("backend/2", { healthy: true });
    await reader;
    expect(seen).toEqual([
      ["backend/1", { healthy: false }],
      ["backend/2", { healthy: true }],
    ]);
  });

  test("memoizes the status of backends", async () => {
    await using state = await open();
    const fetched: string[] = [];
    const getBackendStatus = state.memoize(
      async (id: string) => {
        fetched.push(id);
        return { id, healthy: true };
      },
      { ttl: "300s" },
    );
    const both = await Promise.all([getBackendStatus("1"), getBackendStatus("1"), getBackendStatus("2")]);
    expect(both.map(({ id }) => id)).toEqual(["1", "1", "2"]);
    expect(await getBackendStatus("1")).toEqual({ id: "1", healthy: true });
    expect(fetched).toEqual(["1", "2"]);
  });
}

describe("the state store of NRDOT, in memory", () => {
  suite(async () => openState({ backend: memoryState() }));
});

describe("the state store of NRDOT, in the store of a control plane", () => {
  suite(async () => {
    const plane = await controlPlane({ store: "memory", listen: false });
    return { ...plane.state, [Symbol.asyncDispose]: () => plane.stop() };
  });
});

describeWith("the state store of NRDOT, in Redis", redis, (get) =>
  suite(async () => {
    const client = new Redis(get().url);
    await client.flushall();
    client.disconnect();
    return openState({ backend: redisState({ url: get().url }) });
  }),
);
