import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { ApiError } from "../../../model/core.js";
import { ConnectionError } from "../transport.js";
import { answer, fail, until } from "./fixtures/scripted-server.js";
import { configMaps, target, configMap, path, setup, rejectionOf } from "./fixtures/setup.js";
import { httpTransport } from "./http-transport.js";

describe("requests", () => {
  test("sends patches, applies and deletes as Kubernetes expects", async () => {
    const { server, transport } = await setup((response) => answer(response, 200, configMap));
    const body = [{ op: "add", path: "/data", value: {} }];
    await transport.patch(configMaps, target, { type: "json", body }, { fieldManager: "me", dryRun: true });
    await transport.patch(configMaps, target, { type: "merge", body: {} }, { subresource: "status" });
    await transport.patch(configMaps, target, { type: "strategic", body: {} }, { fieldValidation: "Strict" });
    await transport.patch(
      configMaps,
      target,
      { type: "apply", body: {}, force: true },
      { fieldManager: "me" },
    );
    await transport.delete(configMaps, target);
    await transport.delete(configMaps, target, {
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      preconditions: { uid: "u" },
      dryRun: true,
    });
    await transport.deleteCollection(configMaps, { namespace: "default" }, { labelSelector: "a=b,c!=d" });
    expect(
      server.received.map(({ method, url, headers, body }) => [
        method,
        url.replace(path, ""),
        headers["content-type"],
        body,
      ]),
    ).toEqual([
      ["PATCH", "/a?dryRun=All&fieldManager=me", "application/json-patch+json", JSON.stringify(body)],
      ["PATCH", "/a/status", "application/merge-patch+json", "{}"],
      ["PATCH", "/a?fieldValidation=Strict", "application/strategic-merge-patch+json", "{}"],
      ["PATCH", "/a?fieldManager=me&force=true", "application/apply-patch+yaml", "{}"],
      ["DELETE", "/a", undefined, ""],
      [
        "DELETE",
        "/a",
        "application/json",
        '{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Foreground","gracePeriodSeconds":0,"preconditions":{"uid":"u"},"dryRun":["All"]}',
      ],
      ["DELETE", "?labelSelector=a%3Db%2Cc!%3Dd", undefined, ""],
    ]);
  });

  test("supports a server below a path, headers of the connection, and a User-Agent", async () => {
    const { server } = await setup((response) => answer(response, 200, configMap));
    await using transport = httpTransport({
      connection: {
        server: `${server.url}/clusters/one/`,
        namespace: "default",
        headers: async () => ({ authorization: "Bearer secret" }),
      },
      userAgent: "sites/1.0",
    });
    await transport.get(configMaps, target, { resourceVersion: "0", metadataOnly: true });
    expect(server.received[0]?.url).toBe(`/clusters/one${path}/a?resourceVersion=0`);
    expect(server.received[0]?.headers).toMatchObject({
      authorization: "Bearer secret",
      "user-agent": "sites/1.0",
      accept: expect.stringMatching(
        /^application\/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/,
      ),
    });
  });

  test("list items have apiVersion and kind, and everything is frozen", async () => {
    const { transport } = await setup((response) =>
      answer(response, 200, {
        kind: "ConfigMapList",
        apiVersion: "v1",
        metadata: { resourceVersion: "7", continue: "next", remainingItemCount: 3 },
        items: [{ metadata: { name: "a" } }],
      }),
    );
    const page = await transport.list(configMaps, {}, { limit: 1, labelSelector: "x" });
    expect(page).toEqual({
      items: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }],
      resourceVersion: "7",
      continue: "next",
      remainingItemCount: 3,
    });
    expect(Object.isFrozen(page.items[0]?.metadata)).toBe(true);
  });

  test("delete resolves with the remaining object, or with undefined", async () => {
    const deleted = { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" };
    const answers = [
      { kind: "Status", apiVersion: "v1", status: "Success" },
      { ...configMap, metadata: { ...deleted, finalizers: ["demo.dev/x"] } },
      { ...configMap, metadata: { ...deleted, deletionGracePeriodSeconds: 30 } },
      { ...configMap, metadata: { ...deleted, deletionGracePeriodSeconds: 0 } },
      configMap,
    ];
    const { transport } = await setup((response, _, number) => answer(response, 200, answers[number - 1]));
    const results: boolean[] = [];
    for (const _ of answers) results.push((await transport.delete(configMaps, target)) !== undefined);
    expect(results).toEqual([false, true, true, false, false]);
  });

  test("reports warnings", async () => {
    const { transport } = await setup((response) =>
      answer(response, 201, configMap, { warning: ['299 - "one"', '299 - "two \\"x\\""'] }),
    );
    const onWarning = vi.fn<(text: string) => void>();
    await transport.create(configMaps, target, configMap, { onWarning });
    expect(onWarning.mock.calls).toEqual([["one"], ['two "x"']]);
  });

  test("rejects an invalid server URL at once", () => {
    for (const server of ["localhost:8001", "", "ftp://x"]) {
      expect(() => httpTransport({ connection: { server, namespace: "" } })).toThrow(
        /is not the URL of a server/,
      );
    }
  });
});

describe("failures", () => {
  test("a Status becomes an ApiError", async () => {
    const { transport } = await setup((response) => fail(response, 404, "NotFound"));
    const error = await rejectionOf(transport.get(configMaps, target));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 404, reason: "NotFound" });
  });

  test("other bodies become an ApiError with an excerpt", async () => {
    const { transport } = await setup((response) =>
      response
        .writeHead(403, { "content-type": "text/html" })
        .end(`<html>\n\u0007 no\n entry${"!".repeat(999)}`),
    );
    const error = await rejectionOf(transport.get(configMaps, target));
    expect(error).toMatchObject({ code: 403 });
    expect(error.message).toMatch(/^the server answered 403 \(Forbidden\): <html> no entry!+…$/);
    expect(error.message.length).toBeLessThan(260);
  });

  test.each([
    ["<html>login</html>", /<html>login/],
    ["", /nothing at all/],
    ["[1]", /\[1\]/],
  ])("a 200 with the body %j, which is not a JSON object, is an error", async (body, message) => {
    const { transport } = await setup((response) => response.writeHead(200).end(body));
    const error = await rejectionOf(transport.get(configMaps, target));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(message);
  });

  test.each([
    [
      "http://127.0.0.1:1",
      /127\.0\.0\.1:1: the connection was refused \(ECONNREFUSED\); is the server running/,
    ],
    ["http://no-such-host.invalid:80", /no-such-host\.invalid: the host name cannot be resolved/],
  ])("an unreachable server (%s) is reported with a hint", async (server, message) => {
    await using transport = httpTransport({ connection: { server, namespace: "default" }, retries: false });
    const error = await rejectionOf(transport.get(configMaps, target));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(message);
    expect(error.cause).toBeInstanceOf(Error);
  });

  test.each([
    ["https", /it does not speak TLS .*is it http:\/\//],
    ["http", /does not match the HTTP\/1.1 protocol.*is it https:\/\//],
  ])("a malformed response over %s is reported with a hint", async (scheme, message) => {
    const sockets = new Set<Socket>();
    const garbage = createServer((socket) => {
      sockets.add(socket.on("error", () => {}));
      socket.end("\u0015\u0003garbage\r\n\r\n");
    });
    garbage.listen(0, "127.0.0.1");
    await once(garbage, "listening");
    const server = `${scheme}://127.0.0.1:${(garbage.address() as AddressInfo).port}`;
    await using transport = httpTransport({ connection: { server, namespace: "default" }, retries: false });
    expect((await rejectionOf(transport.get(configMaps, target))).message).toMatch(message);
    for (const socket of sockets) socket.destroy();
    garbage.close();
  });
});

describe("connections", () => {
  test("all requests use the proxy, including watches", async () => {
    const tunnels: string[] = [];
    const proxy = createHttpServer();
    proxy.on("connect", (request, socket: Socket) => {
      tunnels.push(request.url ?? "");
      const { hostname, port } = new URL(`http://${request.url}`);
      const upstream = connect(Number(port), hostname, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on("error", () => socket.destroy());
      socket.on("error", () => upstream.destroy());
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { server, transport } = await setup(
      (response, { url }) => {
        if (url.includes("watch=true"))
          response.write(`{"type":"ADDED","object":${JSON.stringify(configMap)}}\n`);
        else answer(response, 200, configMap);
      },
      { connection: { proxy: address } },
    );
    await expect(transport.get(configMaps, target)).resolves.toEqual(configMap);
    for await (const events of transport.watch(configMaps, {})) {
      expect(events).toHaveLength(1);
      break;
    }
    expect(tunnels).toEqual(Array.from({ length: 2 }, () => server.url.replace("http://", "")));
    await transport[Symbol.asyncDispose]();
    await until(() => server.sockets.size === 0);
    proxy.close();
    await once(proxy, "close");
  });

  test("the error of a proxy that requires authentication names it without its password", async () => {
    const proxy = createHttpServer();
    proxy.on("connect", (_, socket: Socket) =>
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
    );
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    await using transport = httpTransport({
      connection: { server: "http://api.invalid", namespace: "default", proxy: `http://me:secret@${host}` },
    });
    const { message } = await rejectionOf(transport.get(configMaps, target));
    expect(message).toContain(`through the proxy ${host}`);
    expect(message).toContain("407");
    expect(message).not.toContain("secret");
    proxy.close();
  });

  test("another certificate opens other connections", async () => {
    let certificate = { cert: "a", key: "a" };
    const { server, transport } = await setup((response) => answer(response, 200, configMap), {
      connection: { certificate: async () => ({ ...certificate }) },
    });
    const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    for (let round = 0; round < 3; round++) {
      await transport.get(configMaps, target);
      await turn();
    }
    const before = server.connections;
    certificate = { cert: "b", key: "b" };
    await transport.get(configMaps, target);
    expect(server.connections).toBe(before + 1);
    await until(() => server.sockets.size === 1);
  });
});
