import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { systemClock, VirtualClock } from "../../../model/core.js";
import { silent } from "../../../runtime/log/log.js";
import type { ServerOptions } from "../../../server/index.js";
import { routeServer, type RouteServer } from "../fixtures/route-server.js";
import { SocketClient } from "../fixtures/socket-client.js";
import { Topics, type TopicDeclarations } from "../topics.js";
import { webSocketRoute, type WebSocketOptions } from "./websocket-route.js";

const declared: TopicDeclarations = {
  "config.changes": ["config.*"],
  notices: { on: "notice.**", access: "authenticated" },
};

function socketServer(
  options: WebSocketOptions = {},
  server: Partial<ServerOptions> = {},
): Promise<RouteServer> {
  const topics = new Topics(declared);
  return routeServer(
    (parts) => [
      webSocketRoute({
        options,
        topics,
        parts: () => ({
          events: parts().events.log,
          access: parts().access,
          noteReaders: (patterns) => parts().events.noteReaders(patterns),
        }),
        clock: server.clock ?? systemClock,
        log: silent,
      }),
    ],
    server,
  );
}

let server: RouteServer;
beforeAll(async () => void (server = await socketServer()));
afterAll(() => server[Symbol.asyncDispose]());

async function connect(to = server, token = to.token): Promise<SocketClient> {
  const client = await SocketClient.open(to.url, token);
  onTestFinished(() => client.close());
  return client;
}

const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});
const configMaps = "io.k8s.core.configmap.**";

describe("subscriptions", () => {
  test("get events about objects, in the form {type, payload, id}", async () => {
    const client = await connect();
    expect(await client.ask({ action: "subscribe", topics: [configMaps], ref: "1" })).toMatchObject({
      type: "subscribed",
      id: null,
      payload: { topics: { [configMaps]: [configMaps] }, position: /^\d+:$/, ref: "1" },
    });
    await server.client.create(configMap("one", { a: "b" }));
    const { type, payload, id } = await client.next();
    expect(type).toBe("io.k8s.core.configmap.created");
    expect(payload).toMatchObject({
      type,
      source: "/test",
      timestamp: expect.any(String) as string,
      data: { object: { metadata: { name: "one" } } },
      metadata: { objectkind: "ConfigMap", objectname: "one" },
    });
    expect(id).toBe(`${payload.metadata.revision}:${payload.id}`);
  });

  test("get events by topics, until they unsubscribe", async () => {
    const client = await connect();
    const response = await client.ask({ action: "subscribe", topics: ["config.changes", "alerts"] });
    expect(response.payload.topics).toEqual({ "config.changes": ["config.*"], alerts: ["alert.**"] });
    await server.events.emit({ type: "config.updated", data: { configuration: {} } });
    expect((await client.next()).type).toBe("config.updated");
    await server.events.emit({ type: "backend.health.changed" });
    await server.events.emit({ type: "alert.raised" });
    expect((await client.next()).type).toBe("alert.raised");
    expect(await client.ask({ action: "unsubscribe", topics: ["config.changes", "unknown"] })).toMatchObject({
      type: "unsubscribed",
      payload: { topics: ["config.changes"] },
    });
    await server.events.emit({ type: "config.deleted" });
    await server.events.emit({ type: "alert.resolved" });
    expect((await client.next()).type).toBe("alert.resolved");
  });

  test("with the same pattern twice get an event once, and keep it until both end", async () => {
    const client = await connect();
    await client.ask({ action: "subscribe", topics: ["config.changes", "config.*", "config.**"] });
    await client.ask({ action: "unsubscribe", topics: ["config.*"] });
    await server.events.emit({ type: "config.created" });
    await server.events.emit({ type: "config.updated" });
    expect((await client.next()).type).toBe("config.created");
    expect((await client.next()).type).toBe("config.updated");
  });

  test("resume after the last event that a client has, without gaps", async () => {
    const first = await connect();
    await first.ask({ action: "subscribe", topics: [configMaps] });
    await server.client.create(configMap("resumed"));
    const { id } = await first.next();
    first.close();
    for (const value of ["1", "2", "3"]) await server.client.apply(configMap("resumed", { value }));
    const second = await connect();
    expect(await second.ask({ action: "resume", id, topics: [configMaps] })).toMatchObject({
      type: "resumed",
    });
    await server.client.apply(configMap("resumed", { value: "4" }));
    for (const value of ["1", "2", "3", "4"]) {
      const { payload } = await second.next("io.k8s.core.configmap.updated");
      expect(payload.data.object.data.value).toBe(value);
    }
    // The position in the response to a subscription works as well.
    const third = await connect();
    const { payload } = await third.ask({ action: "subscribe", topics: [configMaps] });
    third.close();
    await server.client.apply(configMap("resumed", { value: "5" }));
    const fourth = await connect();
    await fourth.ask({ action: "subscribe", topics: [configMaps], from: payload.position });
    expect((await fourth.next()).payload.data.object.data.value).toBe("5");
  });

  test("resume in the middle of a commit with several events", async () => {
    const client = await connect();
    await client.ask({ action: "subscribe", topics: ["notice.**"] });
    const events = ["a", "b", "c"].map((id) => ({
      specversion: "1.0" as const,
      id: `commit-${id}`,
      type: "notice.posted",
      source: "/test",
      time: "2026-01-31T12:00:00Z",
    }));
    await server.events.log.append(events);
    const received = [await client.next(), await client.next(), await client.next()];
    const again = await connect();
    await again.ask({ action: "resume", id: received[0]?.id, topics: ["notice.**"] });
    expect((await again.next()).id).toBe(received[1]?.id);
    expect((await again.next()).id).toBe(received[2]?.id);
  });

  test("that resume from an expired id are told, and go on with new events", async () => {
    const other = await socketServer();
    onTestFinished(() => other[Symbol.asyncDispose]());
    await other.client.create(configMap("one"));
    await other.client.create(configMap("two"));
    await other.store.compact((await other.store.status()).revision);
    const client = await connect(other);
    const response = await client.ask({ action: "resume", id: "1:", topics: [configMaps] });
    expect(response).toMatchObject({
      type: "error",
      id: null,
      payload: { code: "expired", resync: true, message: expect.stringContaining("Read the objects again") },
    });
    await other.client.create(configMap("three"));
    expect((await client.next()).payload.metadata.objectname).toBe("three");
  });
});

describe("access", () => {
  const authorize: ServerOptions["authorize"] = ({ user, resource, verb }) => {
    if (user.groups.includes("system:masters")) return { allowed: true };
    const allowed =
      verb === "watch" && resource?.resource === "configmaps" && resource.namespace === "default";
    return Promise.resolve({ allowed });
  };

  async function withUsers(): Promise<RouteServer & { readonly tokenFile: string }> {
    const folder = await mkdtemp(join(tmpdir(), "fettle-tokens-"));
    const tokenFile = join(folder, "tokens.csv");
    await writeFile(tokenFile, 'token-of-anna-1234567,anna,1,""\n', { mode: 0o600 });
    const other = await socketServer({}, { authorize, tokenFile });
    onTestFinished(() => other[Symbol.asyncDispose]());
    return Object.assign(Object.create(other) as RouteServer, { tokenFile });
  }

  test("is that of the API: events of objects which the user may watch", async () => {
    const other = await withUsers();
    const client = await connect(other, "token-of-anna-1234567");
    await client.ask({ action: "subscribe", topics: ["**"] });
    await other.client.create({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "hidden", namespace: "default" },
    });
    await other.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
    await other.client.create({ ...configMap("hidden"), metadata: { name: "hidden", namespace: "other" } });
    await other.events.emit({ type: "config.updated" });
    await other.client.create(configMap("shown"));
    expect((await client.next()).payload.metadata.objectname).toBe("shown");
    // A topic may open events about no object.
    await client.ask({ action: "subscribe", topics: ["notices"] });
    await other.events.emit({ type: "config.updated" });
    await other.events.emit({
      type: "notice.posted",
      objectapiversion: "v1",
      objectkind: "Secret",
      objectname: "hidden",
      objectnamespace: "default",
    });
    await other.events.emit({ type: "notice.posted", data: { text: "hello" } });
    expect((await client.next()).payload.data).toEqual({ text: "hello" });
  });

  test.each(["throws", "rejects"])(
    "a check that %s ends the connection of its user, and no other",
    async (failure) => {
      const folder = await mkdtemp(join(tmpdir(), "fettle-tokens-"));
      const tokenFile = join(folder, "tokens.csv");
      await writeFile(tokenFile, 'token-of-anna-1234567,anna,1,""\n', { mode: 0o600 });
      const fail = (): never => {
        throw new Error("the authorizer does not answer");
      };
      const other = await socketServer(
        {},
        {
          tokenFile,
          authorize: ({ user }) => {
            if (user.name !== "anna") return { allowed: true };
            return failure === "throws" ? fail() : Promise.resolve().then(fail);
          },
        },
      );
      onTestFinished(() => other[Symbol.asyncDispose]());
      const anna = await connect(other, "token-of-anna-1234567");
      const admin = await connect(other);
      for (const client of [anna, admin]) await client.ask({ action: "subscribe", topics: [configMaps] });
      const closed = anna.closed();
      await other.client.create(configMap("one"));
      expect((await admin.next()).payload.metadata.objectname).toBe("one");
      expect(await closed).toBe(1011);
    },
  );

  test("ends with the token", async () => {
    const other = await withUsers();
    const client = await connect(other, "token-of-anna-1234567");
    const closed = client.closed();
    await writeFile(other.tokenFile, 'token-of-anna-7654321,anna,1,""\n', { mode: 0o600 });
    expect(await closed).toBe(1008);
  });

  test.each([
    ["no token", {}, "401"],
    ["a wrong token", { authorization: "Bearer wrong" }, "401"],
    ["another origin", { origin: "https://evil.dev" }, "403"],
  ])("is refused with %s", async (_, headers, code) => {
    const socket = new WebSocket(`${server.url.replace("http", "ws")}/ws`, { headers });
    await expect(once(socket, "open")).rejects.toThrow(code);
  });

  test("over HTTP is refused with 426, and 401 without a token", async () => {
    const headers = { authorization: `Bearer ${server.token}` };
    const response = await fetch(`${server.url}/ws`, { headers });
    expect([response.status, response.headers.get("upgrade")]).toEqual([426, "websocket"]);
    expect((await fetch(`${server.url}/ws`)).status).toBe(401);
  });
});

describe("bad clients", () => {
  test.each([
    ["garbage", "{", "the message is not JSON"],
    ["a list", "[]", "the message is not a JSON object"],
    ["an unknown action", '{"action":"drop"}', "the action must be subscribe"],
    ["no topics", '{"action":"subscribe","topics":[]}', "topics is missing"],
    ["topics of another type", '{"action":"subscribe","topics":[1]}', "topics must be a list of strings"],
    ["a malformed pattern", '{"action":"subscribe","topics":["a..b"]}', "is not a pattern"],
    ["a malformed id", '{"action":"resume","id":"x","topics":["**"]}', '"x" is not the id of a message'],
    ["nothing to resume", '{"action":"resume","id":"1:"}', "there is nothing to resume"],
    ["a long reference", `{"action":"ping","ref":"${"x".repeat(101)}"}`, "ref must be a string"],
  ])("are told what is wrong: %s", async (_, text, message) => {
    const client = await connect();
    client.send(text);
    expect(await client.next()).toMatchObject({
      type: "error",
      payload: { code: "invalid-message", message: expect.stringContaining(message) },
    });
    expect((await client.ask({ action: "ping", ref: "r" })).payload.ref).toBe("r");
  });

  test("that send nothing but garbage, or 10 MB, are disconnected", async () => {
    const garbage = await connect();
    for (let index = 0; index < 20; index++) garbage.send("{");
    expect(await garbage.closed()).toBe(1008);
    const large = await connect();
    large.send("x".repeat(10_000_000));
    expect(await large.closed()).toBe(1009);
    expect(server.errors).toEqual([]);
  });

  test("with too many topics are refused, on a connection and in total", async () => {
    const other = await socketServer({ maxTopics: 10, maxSubscriptions: 25, messagesPerSecond: 1000 });
    onTestFinished(() => other[Symbol.asyncDispose]());
    const topics = (count: number) => Array.from({ length: count }, (_, index) => `topic.t${index}`);
    const client = await connect(other);
    expect((await client.ask({ action: "subscribe", topics: topics(11) })).payload.message).toContain(
      "a connection can have 10 topics",
    );
    const others = await Promise.all([connect(other), connect(other), connect(other)]);
    for (const each of others.slice(0, 2)) await each.ask({ action: "subscribe", topics: topics(10) });
    const last = await others[2]?.ask({ action: "subscribe", topics: topics(6) });
    expect(last?.payload.message).toContain("too many subscriptions");
    // Those of a closed connection do not count.
    others[0]?.close();
    await vi.waitFor(async () => {
      const response = await others[2]?.ask({ action: "subscribe", topics: topics(6) });
      expect(response?.type).toBe("subscribed");
    });
  });

  test("that send too fast are read slowly, and not disconnected", async () => {
    const clock = new VirtualClock();
    const other = await socketServer({ messagesPerSecond: 2 }, { clock });
    onTestFinished(() => other[Symbol.asyncDispose]());
    const client = await connect(other);
    for (let index = 0; index < 4; index++) client.send({ action: "ping", ref: String(index) });
    for (const ref of ["0", "1", "2"]) expect((await client.next()).payload.ref).toBe(ref);
    let isAnswered = false;
    const last = client.next().then(() => (isAnswered = true));
    expect(isAnswered).toBe(false);
    await clock.advance(500);
    await last;
  });

  test("that do not read are disconnected, and nothing is buffered for them; others are not affected", async () => {
    const clock = new VirtualClock();
    const other = await socketServer({}, { clock, limits: { stalledWatchTimeout: 20_000 } });
    onTestFinished(() => other[Symbol.asyncDispose]());
    const slow = await connect(other);
    const quick = await connect(other);
    for (const client of [slow, quick]) await client.ask({ action: "subscribe", topics: ["big.**"] });
    slow.socket.pause();
    const data = "x".repeat(100_000);
    for (let index = 0; index < 200; index++) await other.events.emit({ type: "big.event", data, index });
    for (let index = 0; index < 200; index++) expect((await quick.next()).payload.metadata.index).toBe(index);
    // The slow client catches up from the log when it reads again.
    slow.socket.resume();
    for (let index = 0; index < 200; index++) expect((await slow.next()).payload.metadata.index).toBe(index);
    slow.socket.pause();
    for (let index = 0; index < 200; index++) await other.events.emit({ type: "big.event", data, index });
    for (let index = 0; index < 200; index++) await quick.next();
    await clock.advance(20_000);
    // The client finds out when it reads again.
    const closed = slow.closed();
    slow.socket.resume();
    expect(await closed).toBe(1006);
    await other.events.emit({ type: "big.event", data: "after" });
    expect((await quick.next("big.event")).payload.data).toBe("after");
  });
});

test("heartbeats have a position to resume from", async () => {
  const clock = new VirtualClock();
  const other = await socketServer({ heartbeat: "10s" }, { clock });
  onTestFinished(() => other[Symbol.asyncDispose]());
  const client = await connect(other);
  await client.ask({ action: "subscribe", topics: ["notice.**"] });
  await other.events.emit({ type: "notice.posted", data: 1 });
  await client.next();
  await clock.advance(10_000);
  const { type, payload } = await client.next();
  expect(type).toBe("heartbeat");
  await other.events.emit({ type: "notice.posted", data: 2 });
  const again = await connect(other);
  await again.ask({ action: "subscribe", topics: ["notice.**"], from: payload.position });
  expect((await again.next()).payload.data).toBe(2);
});

test("events reach all of many clients", async () => {
  const clients = await Promise.all(Array.from({ length: 50 }, () => connect()));
  await Promise.all(clients.map((each) => each.ask({ action: "subscribe", topics: ["mass.*"] })));
  for (let index = 0; index < 20; index++) await server.events.emit({ type: "mass.event", data: index });
  for (const client of clients) {
    for (let index = 0; index < 20; index++) expect((await client.next()).payload.data).toBe(index);
  }
});

test("options that are no limits are refused", () => {
  const start = (options: WebSocketOptions) =>
    webSocketRoute({
      options,
      topics: new Topics(),
      parts: () => {
        throw new Error("not started");
      },
      clock: systemClock,
      log: silent,
    });
  expect(() => start({ maxTopics: 0 })).toThrow("websocket.maxTopics must be an integer from 1, not 0");
  expect(() => start({ heartbeat: "1ms" })).toThrow("websocket.heartbeat must be at least 100ms");
});

test("topics are checked at the start", () => {
  const topics = new Topics();
  expect(() => topics.add({ "a.*": ["b"] }, "of operator x")).toThrow(
    'topic "a.*" of operator x: a name has no *',
  );
  expect(() => topics.add({ a: [] }, "of operator x")).toThrow("it has no patterns");
  expect(() => topics.add({ a: ["b..c"] }, "of operator x")).toThrow("is not a pattern");
  expect(() => topics.add({ alerts: ["x"] }, "of operator x")).toThrow(
    "topic alerts of operator x is declared twice",
  );
});
