import { createServer, type Server } from "node:net";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { Secret } from "fettle/kubernetes";
import { Process } from "@fettle/process";
import { describeWith, nginx, type Need } from "../../../test/components/index.js";
import { until } from "../../../test/runtime/until.js";
import { Gateway, HTTPRoute } from "../kinds/gateway-api.js";
import { Backend, Certificate, ProxyClass, ProxyConfig } from "../kinds/proxy.js";
import { EchoServer } from "./fixtures/echo-server.js";
import { freePort, ProxyPlane } from "./fixtures/proxy-plane.js";
import { Load, wrk, type LoadOptions, type LoadReport } from "./fixtures/wrk.js";

/** nginx and wrk: neither is started by the suite itself. */
const both: Need = {
  name: "nginx and wrk",
  async obtain() {
    await nginx.obtain();
    await wrk.obtain();
  },
};

const timeout = 300_000;

/** Methods of the driver in the order in which a change calls them. */
const steps = ["inspect", "stage", "check", "activate", "reload", "verify", "markGood", "prune"];
/** `npm run proxy-kills` kills Fettle after each of them, a plain test run after some. */
const everyStep = process.env["FETTLE_PROXY_KILLS"] === "all";

describeWith("the proxy under load", both, () => {
  test("serves without a failed request while everything around it changes", { timeout }, async () => {
    const { plane, port, tlsPort, servers } = await deploy({ FETTLE_TEST_BREAK: "/broken" });
    const { client } = plane;
    const load = loadOn(`http://127.0.0.1:${port}/`);

    await load.during("a configuration that nginx -t refuses", async () => {
      await client.create(HTTPRoute, {
        metadata: { name: "broken" },
        spec: {
          parentRefs: [{ name: "web" }],
          rules: [{ matches: [{ path: { value: "/broken" } }] }],
        },
      });
      const refused = await until(
        client,
        HTTPRoute,
        "broken",
        (found) => found?.status?.parents?.[0]?.conditions?.[0]?.status === "False",
      );
      expect(JSON.stringify(refused?.status)).toMatch(/unknown directive/);
      await client.delete(HTTPRoute, "broken");
      await until(client, ProxyConfig, "web", isReady);
    });

    await load.during("a backend that dies and returns", async () => {
      const [first] = servers;
      await first?.die();
      await until(client, Backend, "web", (found) => found?.status?.health === "degraded");
      await first?.start();
      await until(client, Backend, "web", (found) => found?.status?.health === "healthy");
      const before = first?.requests ?? 0;
      await expect.poll(() => first?.requests, { timeout: 20_000 }).toBeGreaterThan(before);
    });

    await load.during("1,000 changes in a burst", async () => {
      const { reloads: before = 0 } = (await client.get(ProxyClass, "nginx")).status ?? {};
      for (let turn = 1; turn <= 1000; turn++) {
        await client.patch(ProxyConfig, "web", {
          spec: { routes: [route("/"), route(`/burst-${turn}`)] },
        });
      }
      await expect.poll(() => status(`http://127.0.0.1:${port}/burst-1000/x`), { timeout: 60_000 }).toBe(200);
      await until(client, ProxyConfig, "web", isReady);
      const { reloads: after = 0 } = (await client.get(ProxyClass, "nginx")).status ?? {};
      console.log(`  reloads for 1,000 changes: ${after - before}`);
      expect(after - before).toBeGreaterThan(0);
      expect(after - before).toBeLessThan(500);
    });

    await load.during("an edited file", async () => {
      const file = join(plane.data, "operators", "proxy", "nginx", "active", "nginx.conf");
      const before = readFileSync(file, "utf8");
      appendFileSync(file, "\n# edited\n");
      await expect.poll(() => readFileSync(file, "utf8"), { timeout: 60_000 }).toBe(before);
    });

    await load.during("Fettle stopped and started again", async () => {
      const pid = (await client.get(ProxyClass, "nginx")).status?.pid;
      await plane.stop();
      await plane.resume();
      await until(client, ProxyConfig, "web", isReady);
      expect((await client.get(ProxyClass, "nginx")).status?.pid).toBe(pid);
    });

    await client.create(ProxyConfig, {
      metadata: { name: "secure" },
      spec: { listen: { port: await freePort(), tlsPort }, tls: { selfSigned: true }, routes: [route("/")] },
    });
    await until(client, ProxyConfig, "secure", isReady);
    const [issued] = (await client.list(Certificate)).items;
    const certificate = issued?.metadata.name ?? "";
    const secureLoad = loadOn(`https://127.0.0.1:${tlsPort}/`);
    await secureLoad.during("a certificate that is renewed", async () => {
      const before = (await client.get(Certificate, certificate)).status?.serialNumber;
      const { generation = 0 } = (await client.get(ProxyClass, "nginx")).status ?? {};
      // Without its Secret, a new one is issued.
      await client.delete(Secret, certificate);
      await until(client, Certificate, certificate, (found) => {
        const serial = found?.status?.serialNumber;
        return serial !== undefined && serial !== before && isReady(found);
      });
      await until(client, ProxyClass, "nginx", (found) => (found?.status?.generation ?? 0) > generation);
    });
  });

  test("returns to the last good configuration if nginx does not serve a new one", { timeout }, async () => {
    const { plane, port } = await deploy({ FETTLE_TEST_BLIND_PORTS: "true" });
    const { client } = plane;
    const taken = await listenOn();
    const load = loadOn(`http://127.0.0.1:${port}/`);
    await load.during("a port that another program takes after the check", async () => {
      await client.create(Gateway, {
        metadata: { name: "taken" },
        spec: {
          gatewayClassName: "nginx",
          listeners: [{ name: "http", protocol: "HTTP", port: portOf(taken) }],
        },
      });
      const failed = await until(
        client,
        ProxyClass,
        "nginx",
        (found) => found?.status?.refused !== undefined,
      );
      expect(failed?.status?.refused?.message).toMatch(/Address already in use/);
      await client.patch(ProxyConfig, "web", { spec: { hostnames: [] } });
      expect(await status(`http://127.0.0.1:${port}/`)).toBe(200);
      await new Promise((resolve) => taken.close(resolve));
      // Instead of waiting for the next attempt, whose delay doubles with every failure.
      await client.patch(ProxyClass, "nginx", { metadata: { annotations: { port: "free" } } });
      await until(
        client,
        ProxyClass,
        "nginx",
        (found) => isReady(found) && found?.status?.refused === undefined,
      );
      await until(client, Gateway, "taken", isProgrammed);
    });
  });

  test("goes on after Fettle is killed at any step of a change", { timeout: 2 * timeout }, async () => {
    const { plane, port } = await deploy();
    const { client } = plane;
    const load = loadOn(`http://127.0.0.1:${port}/`);
    for (const method of everyStep ? steps : ["activate", "reload"]) {
      await load.during(`Fettle killed after ${method}`, async () => {
        const change = { spec: { routes: [route("/"), route(`/after-${method}`)] } };
        await plane.soon("stops", plane.stop());
        await plane.soon("starts", plane.resume({ FETTLE_TEST_KILL_AFTER: method }));
        const ended = plane.ended();
        // It may be killed before it responds, and a connection to the last process may break.
        const patched = client.patch(ProxyConfig, "web", change).catch(() => undefined);
        if ((await patched) === undefined && plane.isRunning) await client.patch(ProxyConfig, "web", change);
        expect(await plane.soon(`is killed after ${method}`, ended)).toBe("SIGKILL");
        await plane.soon("starts again", plane.resume());
        await client.patch(ProxyConfig, "web", change);
        await expect
          .poll(() => status(`http://127.0.0.1:${port}/after-${method}`), { timeout: 60_000 })
          .toBe(200);
        await plane.soon("is ready", until(client, ProxyConfig, "web", isReady));
      });
    }
  });

  test("starts nginx again when it is killed", { timeout }, async () => {
    const { plane, port } = await deploy();
    const { client } = plane;
    const before = await client.get(Process, "nginx");
    const pid = before.status?.pid ?? 0;
    const begin = performance.now();
    process.kill(pid, "SIGKILL");
    await until(
      client,
      Process,
      "nginx",
      (found) => found?.status?.pid !== pid && found?.status?.state === "Running",
    );
    await expect.poll(() => status(`http://127.0.0.1:${port}/`), { interval: 5, timeout: 30_000 }).toBe(200);
    console.log(`  outage after SIGKILL of nginx: ${Math.round(performance.now() - begin)} ms`);
    await until(client, ProxyClass, "nginx", (found) => isReady(found) && found?.status?.pid !== pid);
  });
});

/** Starts a plane with one configuration and two servers behind it; resolves when it is served. */
async function deploy(env: Readonly<Record<string, string>> = {}) {
  const servers = [await EchoServer.start("a"), await EchoServer.start("b")];
  onTestFinished(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]();
  });
  const plane = await ProxyPlane.start(env);
  const { client } = plane;
  const [port, tlsPort] = [await freePort(), await freePort()];
  await client.create(Backend, {
    metadata: { name: "web" },
    spec: {
      targets: servers.map((server) => ({ host: "127.0.0.1", port: server.port })),
      healthCheck: { path: "/health", interval: "200ms", timeout: "1s" },
    },
  });
  await client.create(ProxyConfig, {
    metadata: { name: "web" },
    spec: { listen: { port }, routes: [route("/")] },
  });
  await until(client, ProxyConfig, "web", isReady);
  expect(await status(`http://127.0.0.1:${port}/`)).toBe(200);
  return { plane, port, tlsPort, servers };
}

const route = (path: string) => ({ path, backends: [{ id: "web" }] });

/** Load on a URL in phases, each of which has to end without a failed request. */
function loadOn(url: string, options?: LoadOptions) {
  return {
    async during(what: string, work: () => Promise<void>): Promise<void> {
      const load = await Load.start(url, options);
      let report: LoadReport;
      try {
        await work();
      } finally {
        report = await load.stop();
      }
      console.log(`  ${what}: ${report.requests} requests, ${report.refused + report.errors} failed`);
      expect({ what, refused: report.refused, errors: report.errors }).toEqual({
        what,
        refused: 0,
        errors: 0,
      });
      expect(report.requests).toBeGreaterThan(0);
    },
  };
}

async function status(url: string): Promise<number | undefined> {
  try {
    const { statusCode, body } = await request(url, { headersTimeout: 5000, reset: true });
    await body.dump();
    return statusCode;
  } catch {
    return undefined;
  }
}

async function listenOn(): Promise<Server> {
  const server = createServer();
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "0.0.0.0", resolve));
  onTestFinished(() => void server.close());
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

interface WithConditions {
  readonly metadata: { readonly generation?: number };
  readonly status?:
    | {
        readonly conditions?:
          | readonly {
              readonly type: string;
              readonly status: string;
              readonly observedGeneration?: number;
            }[]
          | undefined;
      }
    | undefined;
}

function has(object: WithConditions | undefined, wanted: string): boolean {
  return (
    object?.status?.conditions?.some(
      ({ type, status: value, observedGeneration }) =>
        type === wanted && value === "True" && observedGeneration === object.metadata.generation,
    ) ?? false
  );
}

function isReady(object: WithConditions | undefined): boolean {
  return has(object, "Ready");
}

function isProgrammed(object: WithConditions | undefined): boolean {
  return has(object, "Programmed");
}
