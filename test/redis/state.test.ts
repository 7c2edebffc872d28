import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { inspect } from "node:util";
import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeStateBackend } from "../../src/events/state/fixtures/state-contract.js";
import { openState, type OpenState, redisState, type StateWatch } from "../../src/events/index.js";
import { VirtualClock } from "../../src/model/core.js";
import { silent, type Log } from "../../src/runtime/log/log.js";
import { describeWith, redis } from "../components/index.js";

/** Lines of a log, with their fields. */
function recordedLog(): {
  readonly log: Log;
  readonly lines: string[];
  readonly until: (text: string) => Promise<void>;
} {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const add = (fields: object, text: string): void => {
    lines.push(`${text} ${JSON.stringify(fields)}`);
    for (const check of waiting) check();
  };
  const log: Log = { ...silent, info: add, warn: add, error: add, child: () => log };
  return {
    log,
    lines,
    until: (text) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (lines.some((line) => line.includes(text))) resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}

/** A proxy that can stop forwarding without closing connections, like a firewall that has forgotten them. */
async function silentProxy(
  target: number,
): Promise<AsyncDisposable & { readonly port: number; isForwarding: boolean }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(target, "127.0.0.1");
    socket.on("data", (data) => proxy.isForwarding && upstream.write(data));
    upstream.on("data", (data) => proxy.isForwarding && socket.write(data));
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy = {
    port: (server.address() as AddressInfo).port,
    isForwarding: true,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return proxy;
}

const next = async (watch: StateWatch): Promise<unknown> => (await watch.next()).value;

describeWith("state in Redis", redis, (get) => {
  let admin: Redis;
  beforeEach(async () => {
    admin = new Redis(get().url);
    admin.on("error", () => {});
    await admin.flushall();
  });
  afterEach(() => admin.disconnect());

  describeStateBackend("redis", async () => {
    await admin.flushall();
    return {
      backend: redisState({ url: get().url }),
      peer: redisState({ url: get().url }),
      pass: async () => {},
      async [Symbol.asyncDispose]() {},
    };
  });

  test("sees what other processes do: writes, deletions and expiries", async () => {
    await using one = openState({ backend: redisState({ url: get().url }) });
    await using other = openState({ backend: redisState({ url: get().url }) });
    const watch = one.watch("backend/*");
    await watch.ready;
    await other.set("backend/1", { healthy: true });
    expect(await next(watch)).toEqual({ key: "backend/1", value: { healthy: true } });
    expect(await one.get("backend/1")).toEqual({ healthy: true });
    await other.set("backend/1", { healthy: false }, { ttl: 50 });
    expect(await next(watch)).toEqual({ key: "backend/1", value: { healthy: false } });
    expect(await next(watch)).toEqual({ key: "backend/1", value: undefined });
    expect(await one.get("backend/1")).toBeUndefined();
  });

  test("keeps prefixes and databases apart", async () => {
    const open = (options: { prefix?: string; db?: number }): OpenState =>
      openState({ backend: redisState({ url: `${get().url}/${options.db ?? 0}`, prefix: options.prefix }) });
    await using plain = open({});
    await using prefixed = open({ prefix: "[other]*:" });
    await using numbered = open({ db: 1 });
    const watches = [prefixed, numbered].map((state) => state.watch());
    await Promise.all(watches.map(({ ready }) => ready));
    await plain.set("a", "plain");
    await prefixed.set("a", "prefixed");
    await numbered.set("a", "numbered");
    expect(await plain.get("a")).toBe("plain");
    expect(await Promise.all(watches.map(next))).toEqual([
      { key: "a", value: "prefixed" },
      { key: "a", value: "numbered" },
    ]);
    expect(await prefixed.keys()).toEqual(["a"]);
    expect((await admin.keys("*")).toSorted()).toEqual(["[other]*:a", "fettle:state:a"]);
    await admin.select(1);
    expect(await admin.keys("*")).toEqual(["fettle:state:a"]);
  });

  test("reconnects after a crash of the server; what was missed is reported as a gap", async () => {
    const { log, until } = recordedLog();
    await using state = openState({ backend: redisState({ url: get().url, log }), log });
    let gap = (): void => {};
    const gone = new Promise<void>((resolve) => (gap = resolve));
    const watch = state.watch("*", { onGap: () => gap() });
    await watch.ready;
    await state.set("a", 1);
    expect(await state.get("a")).toBe(1);
    expect(await next(watch)).toEqual({ key: "a", value: 1 });
    await get().kill();
    await until("the state lost the connection to Redis");
    // Without persistence the server has lost the value, and the cache must not serve it.
    await expect(state.get("a")).rejects.toThrow(
      /^Redis at redis:\/\/127\.0\.0\.1:\d+\/0: connect ECONNREFUSED/,
    );
    await expect(state.set("a", 2)).rejects.toMatchObject({ name: "StateUnavailable" });
    await get().start();
    await gone;
    await until("receives changes from Redis again");
    await state.set("a", 3, { ttl: 100 });
    expect(await next(watch)).toEqual({ key: "a", value: 3 });
    // The new server was told to report expiries too.
    expect(await next(watch)).toEqual({ key: "a", value: undefined });
  });

  test("a server that does not respond is an error after the timeout", async () => {
    await using state = openState({ backend: redisState({ url: get().url, timeout: 300 }) });
    await state.set("a", 1);
    await get().pause();
    try {
      await expect(state.get("b")).rejects.toThrow("Command timed out");
    } finally {
      await get().resume();
    }
    expect(await state.get("a")).toBe(1);
  });

  test("a server that is away at first is used when it is there", async () => {
    await get().kill();
    const { log, until } = recordedLog();
    await using state = openState({ backend: redisState({ url: get().url, log }), log });
    const watch = state.watch();
    await expect(state.set("a", 1)).rejects.toThrow("ECONNREFUSED");
    await until("the state cannot reach Redis");
    await get().start();
    await watch.ready;
    await state.set("a", 2);
    expect(await next(watch)).toEqual({ key: "a", value: 2 });
  });

  test("passwords are in no message", async () => {
    const password = "s3cr3t/@:pass";
    await admin.call(
      "ACL",
      "SETUSER",
      "limited",
      "on",
      `>${password}`,
      "~fettle:*",
      "&*",
      "+@all",
      "-config",
    );
    const { log, lines } = recordedLog();
    const url = (secret: string): string =>
      get().url.replace("redis://", `redis://limited:${encodeURIComponent(secret)}@`);
    await using state = openState({ backend: redisState({ url: url(password), log }), log });
    const watch = state.watch();
    await watch.ready;
    await state.set("a", 1);
    expect(await next(watch)).toEqual({ key: "a", value: 1 });
    expect(lines).toEqual([
      expect.stringMatching(
        /^Redis does not allow CONFIG: set notify-keyspace-events to Exe on the server, .*NOPERM/,
      ),
    ]);
    await using wrong = openState({ backend: redisState({ url: url(`${password}!`), log }), log });
    wrong.watch();
    const error = await wrong.get("a").catch((error: unknown) => error);
    expect(error).toMatchObject({
      name: "StateUnavailable",
      message: expect.stringMatching(
        /^Redis at redis:\/\/127\.0\.0\.1:\d+\/0: (WRONGPASS|NOAUTH).*check the user, password/,
      ),
    });
    for (const text of [inspect(error, { depth: 10, showHidden: true }), ...lines]) {
      expect(text).not.toContain("s3cr3t");
      expect(text).not.toContain(encodeURIComponent(password));
    }
  });

  test("a write that the server refuses is an error", async () => {
    await using state = openState({ backend: redisState({ url: get().url }) });
    await admin.config("SET", "maxmemory", "1");
    try {
      await expect(state.set("a", 1)).rejects.toThrow(/^Redis at .*OOM/);
    } finally {
      await admin.config("SET", "maxmemory", "0");
    }
    expect(await state.get("a")).toBeUndefined();
    await admin.lpush("fettle:state:list", "1");
    await expect(state.get("list")).rejects.toThrow(/WRONGTYPE/);
  });

  test("a connection that has died without a sign is found by a ping", async () => {
    await using proxy = await silentProxy(Number(new URL(get().url).port));
    const clock = new VirtualClock();
    const { log, until } = recordedLog();
    await using state = openState({
      backend: redisState({ url: `redis://127.0.0.1:${proxy.port}`, clock, log, timeout: 200 }),
      clock,
      log,
    });
    const gap = new Promise<void>((resolve) => {
      state.watch("*", { onGap: resolve });
    });
    const watch = state.watch();
    await watch.ready;
    proxy.isForwarding = false;
    await clock.advance(5000);
    await until("the state lost the connection to Redis");
    proxy.isForwarding = true;
    await gap;
    await state.set("a", 1);
    expect(await next(watch)).toEqual({ key: "a", value: 1 });
  });
});
