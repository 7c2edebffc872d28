import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { resource } from "../../src/model/index.js";
import { routeOptions } from "../../src/plane/config/control-loop.js";
import { loadConfig } from "../../src/plane/config/load-config.js";
import { controlPlane } from "../../src/plane/control-plane.js";
import { restResource } from "../../src/plane/index.js";
import { adminToken } from "../../src/plane/routes/fixtures/admin-token.js";
import { controller } from "../../src/runtime/controller/controller.js";
import type { Log } from "../../src/runtime/log/log.js";

const Backend = resource("demo.dev/v1", "Backend", {
  spec: z.object({ host: z.string() }),
  status: z.object({ seen: z.string() }),
});
const backends = controller({
  for: Backend,
  reconcile: (backend, { report }) => report({ seen: backend.spec.host }),
});

async function start(yaml: string) {
  const cwd = await mkdtemp(join(tmpdir(), "fettle-routes-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, "fettle.yaml"), yaml);
  const { config } = await loadConfig({ cwd, env: {} });
  const { rest, debug } = routeOptions(config);
  const lines: string[] = [];
  const write = (_fields: object, text: string): void => void lines.push(text);
  const log: Log = { debug() {}, info: write, warn: write, error: write, child: () => log };
  const plane = await controlPlane({
    store: "memory",
    listen: { port: 0, tls: false },
    controllers: [backends],
    rest: { ...rest, resources: [restResource({ path: "backends", kind: Backend })] },
    debug,
    log,
  });
  onTestFinished(() => plane.stop());
  const ask = async (path: string, method: "GET" | "POST" = "GET") => {
    const { statusCode, body } = await request(`${plane.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken(plane)}`, "content-type": "application/json" },
      ...(method === "POST" && { body: "{}" }),
    });
    return { code: statusCode, text: await body.text() };
  };
  return { plane, lines, ask };
}

describe("each key of api changes behaviour", () => {
  test.each([
    ["api: {}", "/api/v2/backends", 200],
    ["api: { base_path: /rest }", "/api/v2/backends", 404],
    ["api: { base_path: /rest }", "/rest/backends", 200],
    ["api: { endpoints: [{ path: /control/status }] }", "/api/v2/backends", 404],
    ["api: { endpoints: [{ path: /backends, methods: [POST] }] }", "/api/v2/backends", 405],
    ["api: { endpoints: [{ path: /backends, methods: [GET, POST] }] }", "/api/v2/backends", 200],
  ])("%s: GET %s", async (yaml, path, code) => {
    const { ask } = await start(`${yaml}\n`);
    expect((await ask(path)).code).toBe(code);
  });

  test("version and description are those of the OpenAPI document", async () => {
    const yaml = "api: { version: v7, endpoints: [{ path: /backends, description: Machines behind it }] }\n";
    const { ask } = await start(yaml);
    const { text } = await ask("/api/v2/openapi.json");
    expect(JSON.parse(text)).toMatchObject({ info: { version: "v7" } });
    expect(text).toContain("Machines behind it");
  });

  test("a base path of Kubernetes is refused", async () => {
    await expect(start("api: { base_path: /api/v1 }\n")).rejects.toThrow(
      "the extension /api/v1 cannot be served: the API server answers these paths",
    );
  });
});

describe("each key of debug changes behaviour", () => {
  test.each([
    ["debug: {}", "/debug/events", 200],
    ["debug: { enabled: false }", "/debug/events", 404],
    ["debug: { endpoints: [{ path: /debug/metrics }] }", "/debug/events", 404],
    ["debug: { endpoints: [{ path: /debug/metrics }] }", "/debug/metrics", 200],
  ])("%s: %s", async (yaml, path, code) => {
    const { ask } = await start(`${yaml}\n`);
    expect((await ask(path)).code).toBe(code);
  });

  test.each([
    ["control_loop", "trace_events", "event handled"],
    ["reconciler", "log_diffs", "patch Backend default/a"],
    ["state_store", "log_operations", "store "],
  ])("components.%s.%s logs", async (component, flag, text) => {
    const run = async (settings: string): Promise<string> => {
      const { plane, lines } = await start(`debug: { components: { ${component}: { ${settings} } } }\n`);
      const seen: string[] = [];
      plane.events.subscribe("**.status_updated", (event) => void seen.push(event.type));
      await plane.client.create(Backend, { metadata: { name: "a" }, spec: { host: "b" } });
      await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0));
      await plane.controllers.idle();
      await plane.stop();
      return lines.join("\n");
    };
    const off = [await run(`${flag}: false`), await run(`${flag}: true, enabled: false`)];
    const on = await run(`${flag}: true`);
    expect(on).toContain(text);
    for (const lines of off) expect(lines).not.toContain(text);
  });
});
