import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { parse } from "yaml";
import { createClient } from "../../../src/client/create-client.js";
import { selfSigned } from "../../../src/client/kubeconfig/fixtures/certificate.js";
import { loadConnection } from "../../../src/client/kubeconfig/load-connection.js";
import { httpTransport } from "../../../src/client/transport/http/http-transport.js";
import { ensureCertificates } from "../../../src/server/http/tls/certificates.js";
import { startServer } from "../../../src/server/server.js";
import { MemoryStore } from "../../../src/store/index.js";
import { startTestServer, type TestServer } from "../test-server.js";
import { Wire, type Transport } from "./wire.js";

const namespaces = "/api/v1/namespaces";

describe.each<Transport>(["http/1.1", "https/1.1", "h2"])("who is let in over %s", (transport) => {
  let server: TestServer;
  let wire: Wire;
  let folder: string;
  let tokenFile: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "fettle-tokens-"));
    tokenFile = join(folder, "tokens.csv");
    writeFileSync(tokenFile, 'guest-token,guest,1,"readers,writers"\nboss-token,boss,2,"system:masters"\n', {
      mode: 0o600,
    });
    server = await startTestServer({
      tls: transport !== "http/1.1",
      tokenFile,
      hosts: ["api.example.com", "*.wild.example.com"],
      origins: ["https://console.example.com"],
    });
    wire = new Wire(server, transport);
  });
  afterAll(async () => {
    wire?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const anonymous: [string, number][] = [
    ["/version", 200],
    ["/healthz", 200],
    ["/livez", 200],
    ["/readyz", 200],
    ["/readyz?verbose", 200],
    ["/", 403],
    ["/api", 403],
    ["/apis", 403],
    ["/metrics", 403],
    ["/openapi/v2", 403],
    ["/openapi/v3", 403],
    [namespaces, 403],
    ["/apis/nobody.dev/v1/things", 403],
    ["/nowhere", 403],
  ];
  test.each(anonymous)("anonymous at %s: %i", async (path, code) => {
    const answer = await wire.call(path, { token: null });
    expect(answer.code).toBe(code);
    if (code === 403) {
      expect(answer.json).toMatchObject({
        reason: "Forbidden",
        message: expect.stringMatching(/User "system:anonymous" cannot (get|list) /),
      });
    }
  });

  test("rejects anonymous writes, also where reads are allowed", async () => {
    for (const path of [namespaces, "/version", "/healthz"]) {
      expect((await wire.call(path, { method: "POST", body: {}, token: null })).code).toBe(403);
    }
  });

  test.each(["wrong", "guest-toke", "guest-token2", "x".repeat(10_000)])(
    "401 for the token %j",
    async (token) => {
      for (const path of [namespaces, "/version"]) {
        const answer = await wire.call(path, { token });
        expect(answer).toMatchObject({ code: 401, json: { kind: "Status", reason: "Unauthorized" } });
      }
    },
  );

  test("an empty token is anonymous", async () => {
    expect((await wire.call(namespaces, { token: " " })).code).toBe(403);
    expect((await wire.call("/version", { token: " " })).code).toBe(200);
  });

  test("allows users outside of system:masters health only", async () => {
    const token = "guest-token";
    expect((await wire.call("/readyz", { token })).code).toBe(200);
    const list = await wire.call(namespaces, { token });
    expect(list).toMatchObject({
      code: 403,
      json: {
        reason: "Forbidden",
        message:
          'namespaces is forbidden: User "guest" cannot list resource "namespaces" in API group "" at the cluster scope',
        details: { kind: "namespaces" },
      },
    });
    const create = await wire.call(`${namespaces}/default/configmaps`, { method: "POST", body: {}, token });
    expect(create.json.message).toBe(
      'configmaps is forbidden: User "guest" cannot create resource "configmaps" in API group "" in the namespace "default"',
    );
    expect((await wire.call(namespaces, { token: "boss-token" })).code).toBe(200);
  });

  test("reads the token file again when it changes, and ends watches of removed tokens", async () => {
    expect((await wire.call(namespaces, { token: "new-token" })).code).toBe(401);
    const watch = await wire.watch(`${namespaces}?watch=1`, { token: "boss-token" });
    writeFileSync(tokenFile, 'new-token,newcomer,3,"system:masters"\n');
    const code = async (token: string) => (await wire.call(namespaces, { token })).code;
    await expect.poll(() => code("new-token"), { timeout: 20_000 }).toBe(200);
    expect(await code("boss-token")).toBe(401);
    await watch.ended;
    expect(await code(server.token)).toBe(200);
    // If the file cannot be read, the tokens stay and the error is reported.
    writeFileSync(tokenFile, "only-one-column\n");
    await expect.poll(() => server.errors.length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(String(server.errors[0])).toMatch(/line 1.*at least 3 columns/);
    expect(String(server.errors[0])).not.toContain("only-one-column");
    expect(await code("new-token")).toBe(200);
  });

  const hosts: [string, number][] = [
    ["localhost", 200],
    ["LOCALHOST:1234", 200],
    ["127.0.0.1", 200],
    ["127.1.2.3:99", 200],
    ["[::1]:8080", 200],
    ["api.example.com", 200],
    ["api.example.com:6443", 200],
    ["a.wild.example.com", 200],
    ["a.b.wild.example.com", 403],
    ["evil.example.com", 403],
    ["localhost.evil.example.com", 403],
    ["127.0.0.1.evil.example.com", 403],
    ["10.0.0.1", 403],
  ];
  test.each(hosts)("Host %s: %i", async (host, code) => {
    expect((await wire.get(namespaces, { host })).code).toBe(code);
    // Checked before anything else, for every user.
    expect((await wire.call("/version", { token: null, headers: { host } })).code).toBe(code);
  });

  const origins: [string, number][] = [
    ["https://console.example.com", 200],
    ["https://evil.example.com", 403],
    ["http://console.example.com", 403],
    ["http://localhost:1", 403],
    ["null", 403],
  ];
  test.each(origins)("Origin %s: %i", async (origin, code) => {
    expect((await wire.get(namespaces, { origin })).code).toBe(code);
  });

  test.skipIf(transport === "h2")("checks WebSockets in the same way", async () => {
    const path = `${server.url.replace("http", "ws")}${namespaces}?watch=1`;
    const attempt = (headers: Record<string, string>, protocols: string[] = []): Promise<number | string> =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(path, protocols, { headers, rejectUnauthorized: false });
        socket.once("unexpected-response", (request, response) => {
          resolve(response.statusCode ?? 0);
          request.destroy();
        });
        socket.once("open", () => {
          resolve(socket.protocol || 101);
          socket.terminate();
        });
        socket.on("error", reject);
      });
    const authorization = `Bearer ${server.token}`;
    expect(await attempt({ authorization })).toBe(101);
    expect(await attempt({})).toBe(403);
    expect(await attempt({ authorization: "Bearer wrong" })).toBe(401);
    expect(await attempt({ authorization, origin: "https://evil.example.com" })).toBe(403);
    expect(await attempt({ authorization, host: "evil.example.com" })).toBe(403);
    const encoded = Buffer.from(server.token).toString("base64url");
    const protocol = `base64url.bearer.authorization.k8s.io.${encoded}`;
    expect(await attempt({}, [protocol, "v4.channel.k8s.io"])).toBe("v4.channel.k8s.io");
  });
});

describe("listening and files", () => {
  let folder: string;
  let store: MemoryStore;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "fettle-data-"));
    store = new MemoryStore();
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const start = (data: string, options: object = {}) =>
    startServer({ store, data: join(folder, data), port: 0, ...options });
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === "IPv4" && !address.internal)?.address;

  test.each(["0.0.0.0", "::", outside ?? "192.0.2.1"])(
    "refuses to listen on %s without TLS",
    async (host) => {
      await expect(start("refused", { host, tls: false })).rejects.toThrow(
        /cannot listen on .* without TLS: .*listen on 127\.0\.0\.1/,
      );
    },
  );

  test("listens on loopback by default", async () => {
    await using server = await start("loopback");
    expect(new URL(server.url)).toMatchObject({ hostname: "127.0.0.1", protocol: "https:" });
    if (outside === undefined) return;
    const { port } = new URL(server.url);
    await expect(fetch(`https://${outside}:${port}/version`)).rejects.toThrow("fetch failed");
  });

  test.runIf(outside !== undefined)(
    "listens elsewhere with TLS, with a name that clients can check",
    async () => {
      await using server = await start("elsewhere", { host: outside });
      const { url, token } = server;
      const wire = new Wire({ url, token, data: join(folder, "elsewhere") } as TestServer, "https/1.1");
      expect((await wire.get(namespaces)).code).toBe(200);
      wire.close();
    },
  );

  test("serves a certificate from files to clients that trust its CA, whatever the address", async () => {
    const own = await ensureCertificates(join(folder, "own"), { names: ["fettle.example.com"] });
    const files = { certFile: join(folder, "own.crt"), keyFile: join(folder, "own.key") };
    writeFileSync(files.certFile, own.cert);
    writeFileSync(files.keyFile, own.key);
    await using server = await start("with-own", {
      host: "0.0.0.0",
      hosts: ["fettle.example.com"],
      tls: files,
    });
    expect(new URL(server.url).hostname).toBe("fettle.example.com");
    const config = parse(readFileSync(server.kubeconfig, "utf8"));
    // The CA is the user's own matter, unless the certificate is its own CA.
    const { port } = new URL(server.url);
    expect(config.clusters[0].cluster).toEqual({ server: `https://localhost:${port}` });
  });

  test("verifies a name of the certificate when the address is not one", async () => {
    const { cert, key } = await selfSigned("fettle.example.com");
    const files = { certFile: join(folder, "self.crt"), keyFile: join(folder, "self.key") };
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
    await using server = await start("self-signed", { tls: files });
    const connection = await loadConnection({ kubeconfig: server.kubeconfig, env: {} });
    expect(connection.tls).toMatchObject({ serverName: "fettle.example.com" });
    await using client = createClient({ transport: httpTransport({ connection }) });
    expect((await client.list({ apiVersion: "v1", kind: "Namespace" })).items.length).toBeGreaterThan(0);
  });

  test.runIf(outside !== undefined)(
    "accepts the machine's addresses when it listens on all of them",
    async () => {
      await using server = await start("everywhere", { host: "0.0.0.0" });
      const { port } = new URL(server.url);
      const { token } = server;
      const data = join(folder, "everywhere");
      const wire = new Wire({ url: `https://${outside}:${port}`, token, data } as TestServer, "https/1.1");
      expect((await wire.get(namespaces)).code).toBe(200);
      wire.close();
    },
  );

  test("keeps token and CA at a second start, readable by their owner only", async () => {
    const files = ["auth/admin-token", "kubeconfig", "tls/ca.crt", "tls/ca.key", "tls/server.key"];
    const read = () => files.map((file) => readFileSync(join(folder, "again", file), "utf8"));
    const first = await start("again");
    const before = read();
    await first.close();
    const port = Number(new URL(first.url).port);
    const second = await start("again", { port });
    expect(read()).toEqual(before);
    expect(second.token).toBe(first.token);
    await second.close();

    const config = parse(before[1] ?? "");
    expect(config.users[0].user.token).toBe(first.token);
    expect(config.clusters[0].cluster.server).toBe(first.url);
    expect(Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64").toString()).toBe(
      before[2],
    );
    expect(first.token.length).toBeGreaterThanOrEqual(40);
    for (const file of ["auth/admin-token", "kubeconfig", "tls/ca.key", "tls/server.key"]) {
      expect((statSync(join(folder, "again", file)).mode & 0o777).toString(8), file).toBe("600");
    }
    for (const directory of ["auth", "tls"]) {
      expect((statSync(join(folder, "again", directory)).mode & 0o077).toString(8), directory).toBe("0");
    }
    // No incomplete file remains.
    expect(readdirSync(join(folder, "again")).sort()).toEqual(["auth", "kubeconfig", "tls"]);
  });

  test("creates different tokens for two servers", async () => {
    await using one = await start("one");
    await using two = await start("two");
    expect(one.token).not.toBe(two.token);
  });

  test("does not overwrite a kubeconfig that fettle did not write", async () => {
    const kubeconfig = join(folder, "config");
    writeFileSync(kubeconfig, "apiVersion: v1\nkind: Config\n");
    await expect(start("careful", { kubeconfig })).rejects.toThrow(/was not written by fettle/);
    expect(readFileSync(kubeconfig, "utf8")).toBe("apiVersion: v1\nkind: Config\n");
  });

  test("fails to start with an invalid token file, without showing a token", async () => {
    const tokenFile = join(folder, "bad.csv");
    writeFileSync(tokenFile, 'secret-one,user,1,"a"\nsecret-two\n');
    const failed = start("bad", { tokenFile });
    await expect(failed).rejects.toThrow(/line 2: must have at least 3 columns/);
    await expect(failed).rejects.not.toThrow(/secret/);
    expect(existsSync(join(folder, "bad", "kubeconfig"))).toBe(false);
  });
});
