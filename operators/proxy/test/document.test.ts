import { request } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import type { RawData, WebSocket } from "ws";
import { describeWith, nginx } from "../../../test/components/index.js";
import { DocumentPlane } from "./fixtures/document-plane.js";
import { EchoServer } from "./fixtures/echo-server.js";
import { freePort } from "./fixtures/proxy-plane.js";

const timeout = 180_000;
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 100 });

interface Message {
  readonly type: string;
  readonly payload: { readonly data: Readonly<Record<string, unknown>> };
}

async function start(): Promise<{ readonly plane: DocumentPlane; readonly server: EchoServer }> {
  const plane = await DocumentPlane.start();
  onTestFinished(() => plane[Symbol.asyncDispose]());
  const server = await EchoServer.start("one");
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { plane, server };
}

function backend(server: EchoServer, id = "web") {
  const healthCheck = { path: "/health", interval: "100ms", healthyThreshold: 1, unhealthyThreshold: 1 };
  return { id, targets: [{ host: "127.0.0.1", port: server.port }], healthCheck };
}

/** Body of a response through nginx, or its status. */
async function through(port: number, path: string): Promise<string> {
  try {
    const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`);
    const text = await body.text();
    return statusCode === 200 ? text.trim() : String(statusCode);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Connects as the client of the document does, and collects all messages about events. */
async function documentClient(ws: WebSocket): Promise<readonly Message[]> {
  const messages: Message[] = [];
  onTestFinished(() => ws.terminate());
  await new Promise<void>((resolve) => {
    ws.on("open", () =>
      ws.send(JSON.stringify({ action: "subscribe", topics: ["config.changes", "health.updates"] })),
    );
    ws.on("message", (data: RawData) => {
      const message = JSON.parse((data as Buffer).toString()) as Message;
      if (message.type === "subscribed") resolve();
      else if (message.type !== "heartbeat") messages.push(message);
    });
  });
  return messages;
}

const isReady = (json: Readonly<Record<string, unknown>>): string | undefined =>
  (json["status"] as { conditions?: { type: string; status: string }[] } | undefined)?.conditions?.find(
    ({ type }) => type === "Ready",
  )?.status;

describeWith("the sections of the document as fettle.yaml", nginx, () => {
  test(
    "every endpoint of the REST API serves, and nginx serves the configurations",
    { timeout },
    async () => {
      const { plane, server } = await start();
      const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
        plane.ask(method, `/api/v2${path}`, body, headers);

      expect((await ask("POST", "/backends", backend(server))).code).toBe(201);
      expect((await ask("GET", "/backends")).json).toMatchObject({ items: [{ id: "web" }] });
      await until(async () =>
        expect((await ask("GET", "/backends/web/health")).json).toMatchObject({
          id: "web",
          status: "healthy",
        }),
      );
      // The document has no endpoint for one backend.
      expect((await ask("PUT", "/backends/web", backend(server))).code).toBe(404);

      const port = await freePort();
      const shop = {
        id: "shop",
        listen: port,
        routes: [{ path: "/api/*", backends: [{ id: "web" }] }],
        priority: "critical",
      };
      expect((await ask("POST", "/config", shop)).code).toBe(201);
      await until(async () => expect(isReady((await ask("GET", "/config/shop")).json)).toBe("True"));
      expect(await through(port, "/api/a")).toBe("one /api/a");
      expect(await through(port, "/other")).toBe("404");

      const changed = { ...shop, routes: [{ path: "/v2", backends: [{ id: "web" }] }] };
      expect((await ask("PUT", "/config/shop", changed)).code).toBe(200);
      await until(async () => expect(await through(port, "/v2/b")).toBe("one /v2/b"));
      // A connection that an old worker of nginx has accepted is served by its configuration.
      await until(async () => expect(await through(port, "/api/a")).toBe("404"));
      expect((await ask("GET", "/config")).json).toMatchObject({ items: [{ id: "shop" }] });

      const confirm = (value: string) => ({ "x-fettle-confirm": value });
      const other = { ...shop, id: "other", routes: [{ path: "/", backends: [{ id: "web" }] }] };
      expect((await ask("PUT", "/config", [other], confirm("replace-all"))).code).toBe(200);
      await until(async () => expect(await through(port, "/c")).toBe("one /c"));
      expect((await ask("DELETE", "/config/other")).code).toBe(204);
      expect((await ask("DELETE", "/config", undefined, confirm("delete-all"))).code).toBe(200);
      await until(async () => expect(await through(port, "/c")).toContain("ECONNREFUSED"));

      const { json: status } = await ask("GET", "/control/status");
      expect(status["controllers"]).toEqual(
        expect.arrayContaining([expect.objectContaining({ name: "proxyconfigs.proxy.fettle.dev" })]),
      );
      const reconciled = await ask("POST", "/control/reconcile", { kind: "Backend", name: "web" });
      expect(reconciled).toMatchObject({ code: 202, json: { count: 1 } });
      for (const path of ["/debug/events", "/debug/state", "/debug/metrics"])
        expect((await plane.ask("GET", path)).code).toBe(200);
      expect((await plane.ask("GET", "/debug/components")).json).toMatchObject({
        components: { reconciler: { log_diffs: true } },
      });
    },
  );

  test("the client of the document gets changes and health, and nothing else", { timeout }, async () => {
    const { plane, server } = await start();
    const messages = await documentClient(plane.socket());
    await plane.ask("POST", "/api/v2/backends", backend(server));
    const of = (type: string) => messages.filter((message) => message.type === type);
    await until(() =>
      expect(of("backend.health.changed").at(-1)?.payload.data).toMatchObject({ status: "healthy" }),
    );

    const shop = { listen: await freePort(), routes: [{ path: "/", backends: [{ id: "web" }] }] };
    await plane.ask("PUT", "/api/v2/config/shop", { ...shop, priority: "critical" });
    await plane.ask("PUT", "/api/v2/config/shop", {
      ...shop,
      priority: "critical",
      hostnames: ["a.example"],
    });
    await until(() => expect(of("config.updated")).toHaveLength(1));
    expect(of("config.updated")[0]?.payload.data).toMatchObject({
      id: "shop",
      configuration: { id: "shop", hostnames: ["a.example"], priority: "critical" },
    });

    await server.die();
    await until(() =>
      expect(of("backend.health.changed").at(-1)?.payload.data).toMatchObject({
        backend: "web",
        status: "unhealthy",
        previous: "healthy",
      }),
    );
    // The handler of alerts and the plugin of the document have told both channels.
    await until(() => {
      const channels = plane.posts.filter(({ text }) => text.includes("web")).map(({ channel }) => channel);
      expect(channels).toEqual(expect.arrayContaining(["#nrdot-alerts", "#ops"]));
    });
    await plane.ask("DELETE", "/api/v2/config/shop");
    await until(() => expect(of("config.deleted")).toHaveLength(1));
    const types = new Set(messages.map(({ type }) => type));
    expect([...types].sort()).toEqual([
      "backend.health.changed",
      "config.created",
      "config.deleted",
      "config.updated",
    ]);
  });

  test("events from outside configure nginx, and check backends", { timeout }, async () => {
    const { plane, server } = await start();
    const messages = await documentClient(plane.socket());
    await plane.ask("POST", "/api/v2/backends", backend(server));
    const port = await freePort();
    let sent = 0;
    const post = (type: string, data: unknown) =>
      plane.ask("POST", "/events", data, {
        "ce-specversion": "1.0",
        "ce-id": `${++sent}`,
        "ce-source": "/ci",
        "ce-subject": `${sent}`,
        "ce-type": type,
      });
    const routes = [{ path: "/", backends: [{ id: "web" }] }];
    const configuration = { listen: port, routes, priority: "critical" };
    expect((await post("config.updated", { id: "shop", configuration })).code).toBe(202);
    await until(async () => expect(await through(port, "/d")).toBe("one /d"));

    await post("config.updated", { id: "shop", configuration: { ...configuration, nope: 1 } });
    await until(async () => {
      const { json } = await plane.ask("GET", "/api/v2/control/status");
      const all = json["subscriptions"] as { readonly name: string; readonly dead: number }[];
      expect(all.find(({ name }) => name === "pipeline")?.dead).toBe(1);
    });
    expect(await through(port, "/d")).toBe("one /d");

    await post("health_check.requested", { target: "web" });
    const results = () =>
      messages
        .filter(({ type }) => type === "health_check.completed")
        .map(({ payload }) => (payload.data["result"] as { readonly status: string }).status);
    // One of the handler, and one of the plugin, whose endpoint cannot be reached from here.
    await until(() => expect(results().sort()).toEqual(["healthy", "unhealthy"]));
  });
});
