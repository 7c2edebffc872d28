import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Happenings } from "../happenings.js";
import { widget } from "../widgets.js";
import { everyTransport } from "./every-transport.js";
import { asYaml, configMap, configMaps, widgets } from "./paths.js";
import { exchange } from "./raw.js";
import { sturdyServer } from "./sturdy-server.js";
import type { Json } from "./wire.js";

everyTransport("watches", (wire, server) => {
  const seen = ({ type, object }: Json): string =>
    `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`;

  test("sends the same events chunked and over a WebSocket", async () => {
    await wire().post("/api/v1/namespaces", { metadata: { name: "watched" } });
    const path = "/api/v1/namespaces/watched/configmaps";
    const query = "?watch=true&labelSelector=seen";
    const chunked = await wire().watch(path + query);
    expect(chunked).toMatchObject({ code: 200, headers: { "content-type": "application/json" } });
    const old = await wire().watch(`/api/v1/watch/namespaces/watched/configmaps${query}`);

    const messages = new Happenings<Json>();
    const options = { headers: { authorization: `Bearer ${server().token}` }, rejectUnauthorized: false };
    const socket = new WebSocket(`${server().url.replace("http", "ws")}${path}${query}`, options);
    socket.on("message", (data: Buffer) => messages.add(JSON.parse(data.toString())));
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));

    const labels = { seen: "yes" };
    await wire().post(path, configMap("one", {}, { labels }));
    await wire().post(path, configMap("hidden"));
    await wire().call(`${path}/one`, { method: "PUT", body: configMap("one", { a: "ü" }, { labels }) });
    await wire().call(`${path}/hidden`, { method: "PUT", body: configMap("hidden", {}, { labels }) });
    await wire().call(`${path}/one`, { method: "DELETE" });
    await wire().call(`${path}/hidden`, { method: "PUT", body: configMap("hidden") });
    const enough = (all: readonly Json[]): boolean => all.length === 5;
    const events = await chunked.until(enough);
    expect(events.map(seen)).toEqual([
      expect.stringMatching(/^ADDED one/),
      expect.stringMatching(/^MODIFIED one/),
      expect.stringMatching(/^ADDED hidden/),
      expect.stringMatching(/^DELETED one/),
      expect.stringMatching(/^DELETED hidden/),
    ]);
    expect(await messages.until(enough)).toEqual(events);
    expect(await old.until(enough)).toEqual(events);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.close();
    await closed;
    chunked.stop();
    old.stop();

    // A watch that resumes from the middle receives the rest.
    const version = events[1].object.metadata.resourceVersion;
    const resumed = await wire().watch(`${path}${query}&resourceVersion=${version}&timeoutSeconds=1`);
    await resumed.ended;
    expect(resumed.all).toEqual(events.slice(2));
  });

  test("sends initial events first, and a bookmark at their end", async () => {
    const query =
      "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const watch = await wire().watch(`/api/v1/namespaces${query}`);
    const events = await watch.until((all) => all.at(-1)?.type === "BOOKMARK");
    expect(events.slice(0, -1).every(({ type }) => type === "ADDED")).toBe(true);
    expect(events.at(-1).object).toMatchObject({
      kind: "Namespace",
      apiVersion: "v1",
      metadata: { annotations: { "k8s.io/initial-events-end": "true" } },
    });
    watch.stop();
    const refused = await wire().get("/api/v1/namespaces?watch=1&sendInitialEvents=true");
    expect(refused).toMatchObject({ code: 422, json: { reason: "Invalid" } });
  });

  test("sends Tables, with column definitions in the first event only", async () => {
    const accept = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    await wire().post(widgets, widget("shown", "red"), asYaml);
    const watch = await wire().watch(`${widgets}?watch=1`, { headers: accept });
    await wire().post(widgets, widget("tabled", "blue"), asYaml);
    const events = await watch.until((all) => all.length === 2);
    expect(
      events.map(({ object }) => [object.kind, object.columnDefinitions?.length, object.rows[0].cells[0]]),
    ).toEqual([
      ["Table", 6, "shown"],
      ["Table", undefined, "tabled"],
    ]);
    watch.stop();
  });

  test("sends an ERROR event for an expired resourceVersion", async () => {
    const { metadata } = (await wire().post(configMaps, configMap("old"))).json;
    const first = (await wire().get("/api/v1/namespaces?limit=1")).json;
    await wire().post(configMaps, configMap("new"));
    const { revision } = await server().store.status();
    await server().store.compact(revision);
    const watch = await wire().watch(`${configMaps}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    await watch.ended;
    expect(watch).toMatchObject({
      code: 200,
      all: [{ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } }],
    });
    const page = await wire().get(`/api/v1/namespaces?limit=1&continue=${first.metadata.continue}`);
    expect(page).toMatchObject({
      code: 410,
      json: { reason: "Expired", metadata: { continue: expect.any(String) } },
    });
    const rest = await wire().get(`/api/v1/namespaces?continue=${page.json.metadata.continue}`);
    expect(rest.code).toBe(200);
    const future = await wire().get(
      `${configMaps}?resourceVersion=${revision + 1000}&resourceVersionMatch=NotOlderThan`,
    );
    expect(future).toMatchObject({
      code: 504,
      json: { reason: "Timeout", details: { causes: [{ reason: "ResourceVersionTooLarge" }] } },
    });
  });

  test("sends every event to hundreds of watches on few connections", async () => {
    const path = "/api/v1/namespaces/default/secrets";
    const watches = await Promise.all(Array.from({ length: 300 }, () => wire().watch(`${path}?watch=1`)));
    for (const name of ["one", "two"]) await wire().post(path, { metadata: { name } });
    await wire().call(path, { method: "DELETE" });
    const expected = ["ADDED one", "ADDED two", "DELETED one", "DELETED two"];
    for (const watch of watches) {
      const events = await watch.until((all) => all.length === expected.length);
      expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(expected);
      watch.stop();
    }
  });
});

describe("raw connections", () => {
  const { server } = sturdyServer();
  const head = (version: string): string =>
    `HTTP/${version}\r\nHost: localhost\r\nAuthorization: Bearer ${server().token}\r\n`;
  const there = `${configMaps}?watch=1&fieldSelector=metadata.name=there&timeoutSeconds=1`;

  test("sends lines without chunks to HTTP/1.0 clients", async () => {
    const text = await exchange(server(), `GET ${there} ${head("1.0")}\r\n`);
    const [headers = "", body = ""] = text.split("\r\n\r\n");
    expect(headers).not.toMatch(/transfer-encoding/i);
    expect(JSON.parse(body)).toMatchObject({ type: "ADDED", object: { metadata: { name: "there" } } });
  });

  test("responds in the order of pipelined requests, also before and after a watch", async () => {
    const requests = ["/livez", there, "/version"].map((path, index) => {
      return `GET ${path} ${head("1.1")}${index === 2 ? "Connection: close\r\n" : ""}\r\n`;
    });
    const text = await exchange(server(), requests.join(""));
    const bodies = text.split(/HTTP\/1\.1 200 OK\r\n[^]*?\r\n\r\n/);
    expect(bodies).toEqual([
      "",
      "ok",
      expect.stringMatching(/^[0-9a-f]+\r\n\{"type":"ADDED".*\}\n\r\n0\r\n\r\n$/),
      expect.stringContaining("gitVersion"),
    ]);
  });
});
