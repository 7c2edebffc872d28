import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import http2 from "node:http2";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { describeWith } from "../../../test/components/index.js";
import { EchoBackend, type Echo } from "../nginx/fixtures/echo-backend.js";
import { allFeatures, longPath, upstreamNames } from "./fixtures/all-features.js";
import { renderedNginx } from "./fixtures/rendered-nginx.js";
import { echo, send, type Received } from "../nginx/fixtures/request.js";

const backends = new Map<string, EchoBackend>();

beforeAll(async () => {
  for (const name of upstreamNames) backends.set(name, await EchoBackend.start(name));
});
afterAll(async () => {
  for (const backend of backends.values()) await backend[Symbol.asyncDispose]();
});

function backendPort(name: string): number {
  const backend = backends.get(name);
  if (backend === undefined) throw new Error(`there is no backend ${name}`);
  return backend.port;
}

const features = renderedNginx.with({ configuration: (ports) => allFeatures(ports, backendPort) });

describeWith("nginx with a rendered configuration", features, (get) => {
  const ask = (
    host: string,
    path: string,
    options: Partial<Parameters<typeof send>[1]> = {},
  ): Promise<Received> => send(path, { port: get().ports.http, host, ...options });
  const backendOf = async (...args: Parameters<typeof ask>): Promise<string> => {
    const received = await ask(...args);
    return received.status === 200 ? echo(received).backend : String(received.status);
  };

  test.each([
    ["/exact", "a"],
    ["/exact/", "404"],
    ["/exactly", "404"],
    ["/with%20space", "a"],
    ["/foo", "b"],
    ["/foo/", "b"],
    ["/foo/x?y=/foo/bar", "b"],
    ["/foo/bar", "c"],
    ["/foo/bar/x", "c"],
    ["/foo/barx", "b"],
    ["/foobar", "404"],
    ["/Foo", "404"],
    ["/slash", "b"],
    ["/slash/x", "b"],
    ["/caf%c3%a9/x", "c"],
    ["/item/12", "d"],
    ["/item/123", "404"],
    ["/x/item/12", "404"],
    ["/", "404"],
    [longPath, "b"],
    [`${longPath}/y`, "b"],
    [`${longPath}/exact`, "c"],
    [`${longPath}y`, "404"],
  ])("the path %s is for %s", async (path, backend) => {
    expect(await backendOf("paths.test", path)).toBe(backend);
  });

  test("paths can be longer than a location of nginx", async () => {
    expect(await backendOf("paths.test", longPath)).toBe("b");
    expect(await backendOf("paths.test", `${longPath}/y`)).toBe("b");
    expect(await backendOf("paths.test", `${longPath}/exact`)).toBe("c");
    expect(await backendOf("paths.test", `${longPath}y`)).toBe("404");
  });

  test("rules with regular expressions keep their place in the order", async () => {
    expect(await backendOf("regex-first.test", "/x/1")).toBe("d");
    expect(await backendOf("regex-first.test", "/x")).toBe("a");
    expect(await backendOf("regex-first.test", "/y")).toBe("b");
  });

  test.each([
    ["/a/b/c", "PUT", {}, "d"],
    ["/a/b/c", "GET", {}, "404"],
    ["/a/b/c", "POST", {}, "b"],
    ["/a/b", "POST", { "x-version": "two" }, "a"],
    ["/a/b", "POST", { "x-version": "Two" }, "b"],
    ["/a/b", "POST", { "x-version": "two " }, "a"],
    ["/a/b", "GET", { "x-version": "two2" }, "404"],
    ["/a/b?user=j%c3%bcrgen+%26%20co", "GET", {}, "c"],
    ["/a/x?z&user=j%C3%BCrgen%20%26+co&q", "GET", {}, "c"],
    ["/a/x?user=x&user=j%C3%BCrgen%20%26+co", "GET", {}, "404"],
    ["/a/x?User=j%C3%BCrgen%20%26+co", "GET", {}, "404"],
    ["/a/x?xuser=j%C3%BCrgen%20%26+co", "GET", {}, "404"],
    ["/a/x?user=j%C3%BCrgen%20%26+co2", "GET", {}, "404"],
    ["/a/b", "GET", { "x-all": 'V"{};#$host\\d' }, "d"],
    ["/elsewhere", "GET", { "x-all": 'V"{};#$host\\d' }, "d"],
    ["/elsewhere", "POST", { "x-all": 'V"{};#$host\\d' }, "404"],
    ["/elsewhere", "GET", { "x-all": 'V"{};#fall.test\\d' }, "404"],
  ])("%s with %s and %j is for %s", async (path, method, headers, backend) => {
    expect(await backendOf("fall.test", path, { method, headers })).toBe(backend);
  });

  test("the body and the raw path reach the backend through a choice", async () => {
    const { body, url } = echo(
      await ask("fall.test", "/a/b/%2F%20?q=%2F", { method: "POST", body: "hello" }),
    );
    expect([body, url]).toEqual(["hello", "/a/b/%2F%20?q=%2F"]);
  });

  test("requests are distributed by weight", async () => {
    const counts: Record<string, number> = {};
    for (let n = 0; n < 400; n++) {
      const backend = await backendOf("split.test", n < 200 ? "/" : "/status");
      const key = `${n < 200 ? "weights" : "status"} ${backend}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    expect(Object.keys(counts).sort()).toEqual(["status 503", "status a", "weights a", "weights b"]);
    // Six standard deviations.
    expect(Math.abs((counts["weights a"] ?? 0) - 150)).toBeLessThan(37);
    expect(Math.abs((counts["status a"] ?? 0) - 100)).toBeLessThan(43);
    expect(await backendOf("split.test", "/none")).toBe("500");
  });

  test.each([
    ["/host/x?q=1", "/host/x?q=1"],
    ["/full/x?q=1", "/new%20path$x?q=1"],
    ["/full", "/new%20path$x"],
    ["/prefix", "/xyz"],
    ["/prefix/", "/xyz/"],
    ["/prefix/one%20two/%3f?q=%2F", "/xyz/one%20two/%3F?q=%2F"],
    ["/prefix/line%0abreak", "/xyz/line%0Abreak"],
    ["/prefix/../prefix/../prefix/x", "/xyz/x"],
    ["/strip", "/"],
    ["/strip/", "/"],
    ["/strip/x", "/x"],
    ["/y?z", "/root/y?z"],
  ])("the path %s is rewritten to %s", async (path, expected) => {
    const { url, headers } = echo(await ask("rewrite.test", path));
    expect(url).toBe(expected);
    expect(headers.host).toBe(path.startsWith("/host") ? "other.test" : "rewrite.test");
  });

  test.each([
    ["/https/x?q=1", 301, "https://redirect.test/https/x?q=1"],
    ["/port", 302, "http://redirect.test:8443/port"],
    ["/host", 302, "http://other.test/host"],
    ["/full/x?q=1", 302, "http://x.test/new?q=1"],
    ["/prefix?q=1", 308, "http://redirect.test/to?q=1"],
    ["/prefix/", 308, "http://redirect.test/to/"],
    ["/prefix/%0d%0ax:%20y?q", 308, "http://redirect.test/to/%0d%0ax:%20y?q"],
    ["//prefix/x", 308, "http://redirect.test/to/x"],
    ["/strip", 302, "http://redirect.test/"],
    ["/strip/x", 302, "http://redirect.test/x"],
  ])("%s is redirected with %i to %s", async (path, status, location) => {
    const received = await ask("redirect.test", path);
    expect([received.status, received.headers.location]).toEqual([status, location]);
  });

  test("headers are changed", async () => {
    const sent = { "x-add": "old", "x-remove": "1", "x-keep": "1", "x-forwarded-for": "10.0.0.1" };
    const received = await ask("headers.test", "/x", { headers: sent });
    const { headers } = echo(received);
    expect(Buffer.from(String(headers["x-set"]), "latin1").toString()).toBe("$host;{}\"'\\é");
    expect(headers).toMatchObject({
      host: "headers.test",
      "user-agent": "ours",
      "x-add": "old,new",
      "x-keep": "1",
      "x-forwarded-for": "10.0.0.1, 127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": "headers.test",
      "x-forwarded-port": String(get().ports.http),
    });
    expect(headers).not.toHaveProperty("x-remove");
    expect(headers.connection).not.toBe("upgrade");
    expect(received.headers).toMatchObject({
      "x-backend": "ours",
      "x-more": "${host}",
      "x-internal2": "1",
    });
    expect(received.headers).not.toHaveProperty("x-internal");
    const plain = await ask("headers.test", "/plain", { headers: sent });
    expect(echo(plain).headers).toMatchObject({ "x-add": "old", "x-remove": "1" });
    expect(plain.headers).toMatchObject({ "x-backend": "a", "x-internal": "secret" });
    expect(echo(await ask("headers.test", "/x")).headers["x-add"]).toBe("new");
  });

  test("the host is that of the server that was chosen", async () => {
    const withPort = echo(await ask("HEADERS.test:123", "/plain"));
    expect(withPort.headers.host).toBe("HEADERS.test:123");
    const other = echo(await ask("evil.test", "http://headers.test/plain"));
    expect([other.headers.host, other.headers["x-forwarded-host"]]).toEqual(["headers.test", "headers.test"]);
  });

  test("a connection can be upgraded to a WebSocket, but not to HTTP/2", async () => {
    const socket = connect(get().ports.http, "127.0.0.1");
    socket.setEncoding("utf8");
    socket.write(
      "GET /plain HTTP/1.1\r\nHost: headers.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    );
    const [response] = await once(socket, "data");
    expect(response).toMatch(/^HTTP\/1.1 101 /);
    socket.write("ping");
    expect(await once(socket, "data")).toEqual(["ping"]);
    socket.destroy();
    const headers = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABk" };
    const refused = echo(await ask("headers.test", "/plain", { headers }));
    expect(refused.headers).not.toHaveProperty("upgrade");
  });

  test("requests above a limit are refused and logged", async () => {
    const path = '/burst/"quoted"?q=\\';
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await ask("limit.test", path)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect([(await ask("limit.test", "/moved")).status, (await ask("limit.test", "/moved")).status]).toEqual([
      302, 503,
    ]);
    const keyed = async (key: string): Promise<number> =>
      (await ask("limit.test", "/header", key === "" ? {} : { headers: { "x-key": key } })).status;
    expect([await keyed("1"), await keyed("2"), await keyed("1"), await keyed(""), await keyed("")]).toEqual([
      200, 200, 429, 200, 429,
    ]);
    const post = async (): Promise<number> => (await ask("limit.test", "/method", { method: "POST" })).status;
    expect([await post(), await post()]).toEqual([200, 429]);
    const lines = await vi.waitFor(() => {
      const all = get()
        .limitLog()
        .trim()
        .split("\n")
        .map((line): Record<string, unknown> => JSON.parse(line));
      expect(all.map((line) => String(line["zone"])).sort((a, b) => a.localeCompare(b))).toEqual([
        "burst",
        "header",
        "header",
        "method",
        "moved",
      ]);
      return all;
    });
    expect(lines.find((line) => line["zone"] === "burst")).toEqual({
      time: expect.any(Number),
      zone: "burst",
      client: "127.0.0.1",
      host: "limit.test",
      uri: path,
      method: "GET",
    });
  });

  test("a dead server of an upstream costs no request", async () => {
    for (let n = 0; n < 10; n++) {
      expect(await backendOf("dead.test", "/", { method: n % 2 === 0 ? "GET" : "POST", body: "x" })).toBe(
        "a",
      );
    }
  });

  test("hosts are exact, wildcards, or unknown", async () => {
    expect(await backendOf("x.wild.test", "/")).toBe("c");
    expect(await backendOf("y.x.wild.test", "/")).toBe("c");
    expect(await backendOf("wild.test", "/")).toBe("404");
    expect(await backendOf("unknown.test", "/")).toBe("404");
    expect(await backendOf("teapot.test", "/")).toBe("418");
  });

  test("certificates are chosen by name, and unknown names are rejected", async () => {
    const port = get().ports.tls;
    const one = await send("/", { port, host: "one.test", serverName: "one.test" });
    expect([one.certificate, echo(one).headers["x-forwarded-proto"]]).toEqual(["one.test", "https"]);
    const two = await send("/", { port, host: "x.two.test", serverName: "x.two.test" });
    expect([two.certificate, echo(two).backend]).toEqual(["*.two.test", "b"]);
    await expect(send("/", { port, host: "three.test", serverName: "three.test" })).rejects.toThrow(
      /unrecognized/,
    );
    const mixed = await send("/", { port, host: "three.test", serverName: "one.test" });
    expect(mixed.status).toBe(404);
  });

  test("HTTP/2 is for TLS, and the host is kept", async () => {
    const session = http2.connect(`https://127.0.0.1:${get().ports.tls}`, {
      servername: "one.test",
      rejectUnauthorized: false,
    });
    onTestFinished(() => session.destroy());
    const stream = session.request({ ":authority": "one.test:444", ":path": "/x?y" });
    const { url, headers } = JSON.parse(await text(stream)) as Echo;
    expect([url, headers.host, headers["x-forwarded-proto"]]).toEqual(["/x?y", "one.test:444", "https"]);
  });

  test("the generation is only served on the socket, and changes with a reload", async () => {
    expect(await get().generation()).toBe("1");
    expect((await ask("", "/generation")).status).toBe(404);
    expect((await ask("unix", "/generation")).status).toBe(404);
    get().configure(await allFeatures(get().ports, backendPort), 2);
    await get().signal("SIGHUP");
    await vi.waitFor(async () => expect(await get().generation()).toBe("2"), 10_000);
    expect(await backendOf("paths.test", "/foo")).toBe("b");
  });
});
