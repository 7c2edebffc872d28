import { describe, expect, test, vi } from "vitest";
import { isServiceUnavailable, isTimeout, retryAfterSeconds, VirtualClock } from "../../../../model/core.js";
import type { Connection } from "../../connection.js";
import { ConnectionError, type Transport } from "../../transport.js";
import type { RequestInfo } from "../calls/request.js";
import { answer, fail, scriptedServer, until } from "../fixtures/scripted-server.js";
import { configMaps, target, configMap, setup, passTime, rejectionOf } from "../fixtures/setup.js";
import { httpTransport } from "../http-transport.js";

describe("retries", () => {
  test("waits as long as Retry-After of repeated 429s, also for a create", async () => {
    const { server, transport, clock, requests } = await setup((response, _, number) =>
      number <= 3
        ? fail(response, 429, "TooManyRequests", { "retry-after": "2" })
        : answer(response, 201, configMap),
    );
    const created = transport.create(configMaps, target, configMap);
    for (let tries = 1; tries <= 3; tries++) {
      await until(() => server.received.length === tries);
      await passTime(clock, 1999);
      expect(server.received).toHaveLength(tries);
      await clock.advance(201);
    }
    await expect(created).resolves.toEqual(configMap);
    expect(requests.map(({ code }) => code)).toEqual([429, 429, 429, 201]);
    expect(clock.timers).toBe(0);
  });

  test("fails at once with the server's error if the retry would exceed the timeout", async () => {
    const { server, transport } = await setup((response) =>
      fail(response, 503, "ServiceUnavailable", { "retry-after": "3600" }),
    );
    const error = await rejectionOf(transport.get(configMaps, target));
    expect(isServiceUnavailable(error)).toBe(true);
    expect(retryAfterSeconds(error)).toBe(3600);
    expect(server.received).toHaveLength(1);
  });

  test("reads Retry-After from the Status in the body", async () => {
    const details = { retryAfterSeconds: 1 };
    const { transport, clock } = await setup((response, _, number) =>
      number === 1
        ? answer(response, 429, { kind: "Status", code: 429, details })
        : answer(response, 200, configMap),
    );
    const got = transport.get(configMaps, target);
    await passTime(clock, 1100);
    await expect(got).resolves.toEqual(configMap);
  });

  test("a get survives 502s and incomplete responses", async () => {
    const { server, transport, clock } = await setup((response, _, number) => {
      if (number === 1) response.writeHead(502).end("bad gateway");
      else if (number === 2) response.socket?.destroy();
      else if (number === 3) {
        response.writeHead(200, { "content-length": "100" }).write("{");
        setImmediate(() => response.socket?.destroy());
      } else answer(response, 200, configMap);
    });
    const got = transport.get(configMaps, target);
    for (let tries = 1; tries <= 3; tries++) {
      await until(() => server.received.length === tries);
      await passTime(clock, 1000);
    }
    await expect(got).resolves.toEqual(configMap);
  });

  const body = { data: { a: "1" } };
  const writes: Readonly<Record<string, (transport: Transport) => Promise<unknown>>> = {
    "a create": (transport) => transport.create(configMaps, target, configMap),
    "an update": (transport) => transport.update(configMaps, target, configMap),
    "a merge patch": (transport) => transport.patch(configMaps, target, { type: "merge", body }),
    "a JSON patch": (transport) => transport.patch(configMaps, target, { type: "json", body: [] }),
    "a delete by name": (transport) => transport.delete(configMaps, target),
    "a delete of all": (transport) => transport.deleteCollection(configMaps, target),
  };
  const repeatable: typeof writes = {
    "an apply": (transport) => transport.patch(configMaps, target, { type: "apply", body }),
    "a delete of this very object": (transport) =>
      transport.delete(configMaps, target, { preconditions: { uid: "u" } }),
    "a dry run": (transport) => transport.update(configMaps, target, configMap, { dryRun: true }),
  };

  test.each(Object.entries(writes))(
    "%s that may have been executed is not retried, and the error says so",
    async (_, write) => {
      const { server, transport, requests } = await setup((response, _, number) =>
        number === 1 ? response.socket?.destroy() : fail(response, 502, "BadGateway"),
      );
      const error = await rejectionOf(write(transport));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error.message).toMatch(/the request may have been carried out$/);
      expect(server.received).toHaveLength(1);
      expect(requests.map(({ code }) => code)).toEqual(["<error>"]);
      expect(await rejectionOf(write(transport))).toMatchObject({ code: 502 });
      expect(server.received).toHaveLength(2);
    },
  );

  test.each(Object.entries(repeatable))("%s is retried, since it is idempotent", async (_, write) => {
    const { server, transport, clock } = await setup((response, _, number) =>
      number === 1 ? response.socket?.destroy() : answer(response, 200, configMap),
    );
    const written = write(transport);
    await until(() => server.received.length === 1);
    await passTime(clock, 1000);
    await written;
    expect(server.received).toHaveLength(2);
  });

  test("an error of a listener does not fail the call", async () => {
    await using server = await scriptedServer((response) => {
      answer(response, 201, configMap, { warning: '299 - "old"' });
    });
    const warning = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const angry = (): never => {
      throw new Error("no");
    };
    await using transport = httpTransport({
      connection: { server: server.url, namespace: "default" },
      onRequest: angry,
    });
    const made = transport.create(configMaps, target, configMap, { onWarning: angry });
    await expect(made).resolves.toEqual(configMap);
    expect(warning.mock.calls.map(([text]) => text)).toEqual([
      "onRequest failed: Error: no",
      "onWarning failed: Error: no",
    ]);
    warning.mockRestore();
  });

  test("a create that never reached the server is retried", async () => {
    const clock = new VirtualClock();
    const server = await scriptedServer((response) => answer(response, 201, configMap));
    const { url } = server;
    await server[Symbol.asyncDispose]();
    const refused: RequestInfo[] = [];
    await using transport = httpTransport({
      connection: { server: url, namespace: "default" },
      clock,
      retries: { withoutRetryAfter: 2 },
      onRequest: (info) => refused.push(info),
    });
    const failed = rejectionOf(transport.create(configMaps, target, configMap));
    await passTime(clock, 1000);
    await until(() => refused.length === 2);
    await passTime(clock, 1000);
    expect((await failed).message).toMatch(/ECONNREFUSED/);
    expect(refused).toHaveLength(3);
  });

  test("does not reuse connections that the server has closed", async () => {
    const { server, transport } = await setup((response) => answer(response, 201, configMap));
    await transport.create(configMaps, target, configMap);
    for (const socket of server.sockets) socket.destroy();
    await until(() => server.sockets.size === 0);
    await expect(transport.create(configMaps, target, configMap)).resolves.toEqual(configMap);
    expect(server.connections).toBe(2);
  });

  test("renews credentials once for concurrent 401s", async () => {
    const renewals = vi.fn<() => void>();
    let token = "old";
    const headers: Connection["headers"] = async ({ renew } = {}) => {
      if (renew === true) {
        renewals();
        token = "new";
      }
      return { authorization: `Bearer ${token}` };
    };
    const { transport } = await setup(
      (response, { headers }) =>
        headers.authorization === "Bearer new"
          ? answer(response, 200, configMap)
          : fail(response, 401, "Unauthorized"),
      { connection: { headers } },
    );
    await Promise.all(Array.from({ length: 5 }, () => transport.get(configMaps, target)));
    expect(renewals).toHaveBeenCalledTimes(1);
  });

  test("a second 401 is final", async () => {
    const { server, transport } = await setup((response) => fail(response, 401, "Unauthorized"), {
      connection: { headers: async () => ({}) },
    });
    await expect(transport.get(configMaps, target)).rejects.toMatchObject({ code: 401 });
    expect(server.received).toHaveLength(2);
  });
});

describe("timeout and cancellation", () => {
  test("a call that exceeds its timeout is a 504 that names the operation", async () => {
    const closed = vi.fn<() => void>();
    const { server, transport, clock } = await setup((response) => void response.once("close", closed));
    const failure = rejectionOf(transport.get(configMaps, target));
    await until(() => server.received.length === 1);
    await clock.advance(30_000);
    const error = await failure;
    expect(isTimeout(error)).toBe(true);
    expect(error.message).toMatch(/gave up after 30s of waiting for http:.* to get configmaps\/a/);
    await until(() => closed.mock.calls.length === 1);
  });

  test("0 means no timeout", async () => {
    const { server, transport, clock } = await setup(() => {});
    const patient = rejectionOf(transport.get(configMaps, target, { timeout: 0 }));
    await until(() => server.received.length === 1);
    expect(clock.timers).toBe(0);
    await transport[Symbol.asyncDispose]();
    expect((await patient).message).toMatch(/is closed/);
  });

  test("a call can be aborted before it starts, in the rate limit, before and during the response, and between retries", async () => {
    const reason = new Error("enough");
    const aborted = AbortSignal.abort(reason);
    const { server, transport, clock } = await setup(
      (response, _, number) => {
        if (number === 2) response.writeHead(200).write("{");
        if (number === 3) fail(response, 429, "TooManyRequests", { "retry-after": "5" });
      },
      { rate: { perSecond: 1, burst: 3 } },
    );
    await expect(transport.get(configMaps, target, { signal: aborted })).rejects.toBe(reason);
    expect(server.received).toHaveLength(0);
    for (let number = 1; number <= 4; number++) {
      const controller = new AbortController();
      const call = rejectionOf(transport.get(configMaps, target, { signal: controller.signal }));
      // The rate limit holds back the fourth, so it never arrives.
      await until(() => server.received.length === Math.min(number, 3));
      if (number >= 3) await until(() => clock.timers > 0);
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
      controller.abort(reason);
      expect(await call).toBe(reason);
      expect(clock.timers).toBe(0);
    }
  });

  test("one signal for many calls causes no leak warning", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const { signal } = new AbortController();
    const { transport } = await setup((response) => answer(response, 200, configMap));
    await Promise.all(Array.from({ length: 30 }, () => transport.get(configMaps, target, { signal })));
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  test("the wait for the rate limit does not count as duration of the request", async () => {
    const { server, transport, clock, requests } = await setup(
      (response) => answer(response, 200, configMap),
      {
        rate: { perSecond: 0.01, burst: 1 },
      },
    );
    await transport.get(configMaps, target);
    const second = transport.get(configMaps, target);
    const third = rejectionOf(transport.get(configMaps, target, { timeout: 150_000 }));
    await until(() => clock.timers === 2);
    await clock.advance(100_000);
    await second;
    await clock.advance(50_000);
    expect((await third).message).toMatch(/gave up after 2m30s of waiting for the client's own rate limit/);
    expect(server.received).toHaveLength(2);
    expect(requests.map(({ waited }) => waited)).toEqual([0, 100_000]);
  });

  test("close aborts all calls and closes all sockets", async () => {
    const { server, transport } = await setup(() => {});
    const running = rejectionOf(transport.get(configMaps, target));
    await until(() => server.received.length === 1);
    await transport[Symbol.asyncDispose]();
    expect(await running).toBeInstanceOf(ConnectionError);
    await until(() => server.sockets.size === 0);
    await expect(transport.get(configMaps, target)).rejects.toThrow(/is closed; create a new one/);
    await expect(transport.watch(configMaps, {})[Symbol.asyncIterator]().next()).rejects.toThrow(/is closed/);
  });
});
