import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { request } from "undici";
import { WebSocket } from "ws";
import { z } from "zod";
import {
  controller,
  controlPlane,
  defineOperator,
  resource,
  restResource,
  type ControlPlane,
} from "../../src/index.js";
import { eventsOf } from "../../src/events/index.js";
import { adminToken } from "../../src/plane/routes/fixtures/admin-token.js";
import { SocketClient } from "../../src/plane/routes/fixtures/socket-client.js";
import { chromium, describeWith, kubectl } from "../components/index.js";
import { KubectlRunner } from "../server/kubectl-runner.js";
import { BrowserPage } from "./browser-page.js";

const Configuration = resource("nrdot.dev/v1", "Configuration", {
  spec: z.object({ listen: z.number().int().min(1).default(80) }),
});

const Backend = resource("nrdot.dev/v1", "Backend", {
  spec: z.object({ address: z.string() }),
  status: z.object({ health: z.enum(["healthy", "unhealthy"]) }),
});

/** Stands in for the proxy: a backend whose address ends with :0 is unhealthy. */
const operator = defineOperator({
  name: "nrdot",
  kinds: [Configuration, Backend],
  events: [eventsOf(Configuration, "config"), eventsOf(Backend, "backend")],
  topics: { "config.changes": ["config.*"], "health.updates": ["backend.health.changed"] },
  rest: [
    restResource({ path: "config", kind: Configuration }),
    restResource({
      path: "backends",
      kind: Backend,
      methods: ["GET", "POST", "PUT"],
      views: { health: ({ status }) => ({ status: status?.health ?? "unknown" }) },
    }),
  ],
  setup: () => ({
    controllers: [
      controller({
        for: Backend,
        reconcile(backend, { report, ready, emit }) {
          const health = backend.spec.address.endsWith(":0") ? "unhealthy" : "healthy";
          if (backend.status?.health !== health) {
            emit({
              type: "backend.health.changed",
              data: { backend: backend.metadata.name, status: health, previous: backend.status?.health },
            });
          }
          report({ health });
          ready("Checked");
        },
      }),
    ],
  }),
});

let plane: ControlPlane;
beforeAll(async () => {
  plane = await controlPlane({ store: "memory", listen: { port: 0 }, operators: [operator] });
});
afterAll(() => plane.stop());

/** Certificates are the server's own. */
const options = { rejectUnauthorized: false };

test("the client of the document gets changes of configurations and of health", async () => {
  const updates: unknown[] = [];
  const health: unknown[] = [];
  const url = plane.url?.replace("https", "wss") ?? "";

  // WebSocket connection for real-time updates
  const ws = new WebSocket(`${url}/ws`, {
    headers: { authorization: `Bearer ${adminToken(plane)}` },
    ...options,
  });
  onTestFinished(() => ws.terminate());

  // Subscribe to events
  const subscribed = new Promise<void>((resolve) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- as the document has it
    ws.onopen = () =>
      ws.send(JSON.stringify({ action: "subscribe", topics: ["config.changes", "health.updates"] }));

    // Handle incoming events
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- as the document has it
    ws.onmessage = (event) => {
      const data = JSON.parse(event.data as string) as { type: string; payload: unknown };

      switch (data.type) {
        case "subscribed":
          resolve();
          break;

        case "config.updated":
          updates.push(data.payload);
          break;

        case "backend.health.changed":
          health.push(data.payload);
          break;
      }
    };
  });
  await subscribed;

  await plane.client.create(Configuration, { metadata: { name: "main" }, spec: {} });
  await plane.client.modify(Configuration, "main", (config) => ({ ...config, spec: { listen: 8080 } }));
  await plane.client.create(Backend, { metadata: { name: "b1" }, spec: { address: "10.0.0.1:0" } });
  await expect.poll(() => updates).toHaveLength(1);
  expect(updates[0]).toMatchObject({
    type: "config.updated",
    timestamp: expect.any(String) as string,
    data: { object: { spec: { listen: 8080 } }, changes: [{ path: ["spec", "listen"] }] },
    metadata: { objectname: "main" },
  });
  await expect.poll(() => health).toHaveLength(1);
  expect(health[0]).toMatchObject({ data: { backend: "b1", status: "unhealthy" } });
});

describeWith("kubectl and the REST API", kubectl, async () => {
  const [version] = (await kubectl.versions()).slice(-1);
  if (version === undefined) return;

  test("see the same objects, and the WebSocket the changes of both", async () => {
    const k = new KubectlRunner(version, plane.kubeconfig ?? "");
    const token = adminToken(plane);
    const socket = await SocketClient.open(plane.url ?? "", token, {
      headers: { authorization: `Bearer ${token}` },
      ...options,
    });
    onTestFinished(() => socket.close());
    await socket.ask({ action: "subscribe", topics: ["config.changes"] });
    const input = JSON.stringify({
      apiVersion: "nrdot.dev/v1",
      kind: "Configuration",
      metadata: { name: "from-kubectl" },
      spec: { listen: 81 },
    });
    await k.run(["apply", "-f", "-"], { input });
    const created = await socket.next("config.created");
    expect(created.payload).toMatchObject({ data: { object: { metadata: { name: "from-kubectl" } } } });

    const insecure = await import("undici").then(({ Agent }) => new Agent({ connect: options }));
    onTestFinished(() => insecure.close());
    const ask = async (path: string, method: "GET" | "PUT" | "DELETE", body?: object) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const response = await request(`${plane.url}${path}`, {
        method,
        headers,
        dispatcher: insecure,
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.body.text();
      return text === "" ? response.statusCode : (JSON.parse(text) as unknown);
    };
    expect(await ask("/api/v2/config/from-kubectl", "GET")).toEqual({ id: "from-kubectl", listen: 81 });
    await ask("/api/v2/config/from-kubectl", "PUT", { listen: 82 });
    expect((await socket.next("config.updated")).payload.data.object.spec).toEqual({ listen: 82 });
    expect(await k.run(["get", "configuration", "from-kubectl", "-o", "jsonpath={.spec.listen}"])).toBe("82");
    await k.run(["delete", "configuration", "from-kubectl"]);
    expect((await socket.next("config.deleted")).payload.metadata.objectname).toBe("from-kubectl");
    expect(await ask("/api/v2/config/from-kubectl", "GET")).toMatchObject({ status: 404 });
  });
});

describeWith("in a browser", chromium, (get) => {
  let open: ControlPlane;
  // Without TLS, since the browser does not trust the server's own certificate.
  beforeAll(async () => {
    open = await controlPlane({ store: "memory", listen: { port: 0, tls: false }, operators: [operator] });
  });
  afterAll(() => open.stop());

  test("the page of the REST API loads the paths with a token, and sends requests", async () => {
    await using page = await BrowserPage.open(get().url, `${open.url}/api/v2/`);
    await page.run(`document.getElementById("token").value = ${JSON.stringify(adminToken(open))}`);
    await page.run(`document.querySelector("#connect button").click()`);
    await page.until(`document.querySelectorAll("nav button").length > 5`);
    await page.run(
      `[...document.querySelectorAll("nav button")].find((each) => each.innerText.includes("POST") && each.innerText.includes("/config")).click()`,
    );
    await page.run(`document.querySelector("textarea").value = '{"id":"typed","listen":8443}'`);
    await page.run(`document.querySelector("#operation button").click()`);
    await page.until(`document.getElementById("answer").innerText.includes("201 Created")`);
    expect((await open.client.get(Configuration, "typed")).spec.listen).toBe(8443);
    expect(await page.run(`document.getElementById("answer").innerText`)).toContain(
      "location: /api/v2/config/typed",
    );
    expect(page.errors).toEqual([]);
  });

  test("a WebSocket authenticates with the token as a subprotocol", async () => {
    await using page = await BrowserPage.open(get().url, `${open.url}/api/v2/`);
    const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from(adminToken(open)).toString("base64url")}`;
    await page.run(`
      window.received = [];
      window.socket = new WebSocket(location.origin.replace("http", "ws") + "/ws", [${JSON.stringify(protocol)}, "fettle"]);
      socket.onopen = () => socket.send(JSON.stringify({ action: "subscribe", topics: ["config.changes"] }));
      socket.onmessage = ({ data }) => received.push(JSON.parse(data));
    `);
    await page.until(`received[0]?.type === "subscribed"`);
    await open.client.create(Configuration, { metadata: { name: "browser" }, spec: {} });
    await page.until(`received[1]?.type === "config.created"`);
    expect(await page.run(`received[1].payload.metadata.objectname`)).toBe("browser");
  });
});
