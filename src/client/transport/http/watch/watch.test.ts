import { describe, expect, test } from "vitest";
import { isExpired } from "../../../../model/core.js";
import { ConnectionError, type WatchEvent } from "../../transport.js";
import { answer, fail, until } from "../fixtures/scripted-server.js";
import { configMaps, target, configMap, path, setup, passTime, rejectionOf } from "../fixtures/setup.js";

describe("a watch", () => {
  const line = (name: string, more: object = {}): string =>
    `${JSON.stringify({ type: "ADDED", object: { ...configMap, metadata: { name }, ...more } })}\n`;
  const names = (events: readonly WatchEvent[]): unknown[] =>
    events.map(({ object }) => object.metadata.name);

  /** All events of a watch, and its error if it fails. */
  async function collect(
    watch: AsyncIterable<readonly WatchEvent[]>,
  ): Promise<{ all: unknown[]; error?: Error }> {
    const all: unknown[] = [];
    try {
      for await (const events of watch) all.push(...names(events));
      return { all };
    } catch (error) {
      return { all, error: error as Error };
    }
  }

  test("is requested as Kubernetes expects, and ends when the server ends it", async () => {
    const { server, transport, requests } = await setup(
      (response) => response.end(line("a") + line("b").trim()),
      {
        rate: { perSecond: 1, burst: 1 },
      },
    );
    const options = {
      resourceVersion: "5",
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
      fieldSelector: "x=y",
    };
    for (let round = 0; round < 3; round++) {
      await expect(collect(transport.watch(configMaps, { namespace: "default" }, options))).resolves.toEqual({
        all: ["a", "b"],
      });
    }
    expect(server.received[0]?.url).toBe(
      `${path}?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300&fieldSelector=x%3Dy`,
    );
    expect(requests.map(({ verb, code, waited }) => [verb, code, waited])).toEqual(
      Array.from({ length: 3 }, () => ["watch", 200, 0]),
    );
  });

  test("from an expired version is a 410, in the stream or before it", async () => {
    const status = { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired", message: "too old" };
    const { transport } = await setup((response, _, number) =>
      number === 1
        ? response.end(`${line("a")}${JSON.stringify({ type: "ERROR", object: status })}\n`)
        : fail(response, 410, "Expired"),
    );
    const inStream = await collect(transport.watch(configMaps, {}));
    expect(inStream.all).toEqual(["a"]);
    expect(isExpired(inStream.error)).toBe(true);
    expect(isExpired((await collect(transport.watch(configMaps, {}))).error)).toBe(true);
  });

  test("that breaks within an event throws after the complete events", async () => {
    const { transport } = await setup((response) => {
      response.write(line("a") + line("b").slice(0, 20), () =>
        setImmediate(() => response.socket?.destroy()),
      );
    });
    const { all, error } = await collect(transport.watch(configMaps, {}));
    expect(all).toEqual(["a"]);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error?.message).toMatch(/cannot watch configmaps at .*closed/);
  });

  test("closes its connection when the loop ends, the signal aborts or the transport closes", async () => {
    const { server, transport } = await setup((response) => response.write(line("a")));
    for await (const events of transport.watch(configMaps, {})) {
      expect(names(events)).toEqual(["a"]);
      break;
    }
    await until(() => server.connections === 1 && server.sockets.size === 0);

    const controller = new AbortController();
    const { signal } = controller;
    const iterator = transport.watch(configMaps, {}, { signal })[Symbol.asyncIterator]();
    await iterator.next();
    const next = iterator.next();
    controller.abort(new Error("enough"));
    await expect(next).resolves.toEqual({ done: true, value: undefined });
    await until(() => server.connections === 2 && server.sockets.size === 0);
    await expect(collect(transport.watch(configMaps, {}, { signal }))).resolves.toEqual({ all: [] });

    const busy = new AbortController();
    const unread = transport.watch(configMaps, {}, { signal: busy.signal })[Symbol.asyncIterator]();
    await unread.next();
    busy.abort();
    await until(() => server.connections === 3 && server.sockets.size === 0);
    await expect(unread.next()).resolves.toEqual({ done: true, value: undefined });

    const last = transport.watch(configMaps, {})[Symbol.asyncIterator]();
    await last.next();
    const end = last.next();
    await transport[Symbol.asyncDispose]();
    await expect(end).resolves.toEqual({ done: true, value: undefined });
    await until(() => server.sockets.size === 0);
  });

  test("is aborted when the server sends neither events nor bookmarks", async () => {
    const { server, transport, clock } = await setup((response) => response.write(line("a")));
    const iterator = transport.watch(configMaps, {}, { allowWatchBookmarks: true })[Symbol.asyncIterator]();
    await iterator.next();
    // A slow consumer does not count as a silent server.
    await clock.advance(3_600_000);
    const next = rejectionOf(iterator.next());
    await until(() => clock.timers === 1);
    await clock.advance(299_999);
    expect(server.sockets.size).toBe(1);
    await clock.advance(1);
    expect((await next).message).toMatch(/silent for 5m/);
    await until(() => server.sockets.size === 0);
  });

  test("that is not read makes the server wait", async () => {
    let written = 0;
    const filler = { data: { text: "x".repeat(100_000) } };
    const total = 400;
    const { transport } = await setup((response) => {
      const write = (): void => {
        while (written < total) {
          written++;
          if (!response.write(line(String(written), filler))) return void response.once("drain", write);
        }
        response.end();
      };
      write();
    });
    const iterator = transport.watch(configMaps, {})[Symbol.asyncIterator]();
    const all = names((await iterator.next()).value ?? []);
    // Wait until the buffers of the operating system are full.
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(written).toBeLessThan(total);
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      all.push(...names(next.value));
    }
    expect(all).toEqual(Array.from({ length: total }, (_, index) => String(index + 1)));
  });

  test("many watches do not block other requests", async () => {
    const { server, transport } = await setup((response, { url }) => {
      if (url.includes("watch=true")) response.write(line("a"));
      else answer(response, 200, configMap);
    });
    const iterators = Array.from({ length: 200 }, () =>
      transport.watch(configMaps, {})[Symbol.asyncIterator](),
    );
    await Promise.all(iterators.map((iterator) => iterator.next()));
    expect(server.sockets.size).toBe(200);
    await expect(transport.get(configMaps, target)).resolves.toEqual(configMap);
    await Promise.all(iterators.map(async (iterator) => iterator.return?.()));
    await until(() => server.sockets.size <= 1);
  });

  test("is retried after Retry-After", async () => {
    const { transport, clock } = await setup((response, _, number) =>
      number === 1 ? fail(response, 429, "TooManyRequests", { "retry-after": "1" }) : response.end(line("a")),
    );
    const collected = collect(transport.watch(configMaps, {}));
    await passTime(clock, 1100);
    await expect(collected).resolves.toEqual({ all: ["a"] });
  });
});
