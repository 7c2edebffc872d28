import { CloudEvent, HTTP } from "cloudevents";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { Secret } from "../../client/kinds/kubernetes.js";
import { resource } from "../../model/resource/resource.js";
import { controller } from "../../runtime/controller/controller.js";
import type { Log } from "../../runtime/log/log.js";
import { controlPlane, type ControlPlane, type ControlPlaneOptions } from "../control-plane.js";
import { adminToken } from "./fixtures/admin-token.js";

const Site = resource("demo.dev/v1", "Site", { spec: z.object({ title: z.string() }) });
const sites = controller({
  for: Site,
  owns: [Secret],
  reconcile(site, { ensure, ready }) {
    ensure(Secret, `${site.metadata.name}-key`, { stringData: { key: `hunter2 ${site.spec.title}` } });
    ready("Done");
  },
});

interface Line {
  readonly text: string;
  readonly [field: string]: unknown;
}

const lines: Line[] = [];
function collectingLog(always: object = {}): Log {
  const collect = (fields: object, text: string): void => void lines.push({ ...always, ...fields, text });
  return {
    debug() {},
    info: collect,
    warn: collect,
    error: collect,
    child: (fields) => collectingLog({ ...always, ...fields }),
  };
}
const log = collectingLog();

let plane: ControlPlane;
let token = "";
beforeAll(async () => {
  plane = await start();
  token = adminToken(plane);
});
afterAll(() => plane.stop());

function start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const listen = { port: 0, tls: false } as const;
  return controlPlane({ store: "memory", listen, controllers: [sites], log, ...options });
}

interface Asked {
  readonly method?: string;
  readonly body?: string | Buffer | object;
  readonly headers?: Record<string, string>;
  readonly as?: string | null;
  readonly of?: ControlPlane;
}

async function ask(path: string, { method = "GET", body, headers = {}, as = token, of = plane }: Asked = {}) {
  const isObject = typeof body === "object" && !Buffer.isBuffer(body);
  const response = await request(`${of.url}${path}`, {
    method: method as "GET",
    headers: {
      ...(as !== null && { authorization: `Bearer ${as}` }),
      ...(isObject && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isObject ? JSON.stringify(body) : body }),
  });
  const text = await response.body.text();
  return {
    code: response.statusCode,
    headers: response.headers,
    text,
    json: text.startsWith("{") ? JSON.parse(text) : undefined,
  };
}

describe("POST /events", () => {
  const post = (message: { headers: object; body: unknown }, as: string | null = token) =>
    ask("/events", {
      method: "POST",
      headers: message.headers as Record<string, string>,
      body: message.body as string,
      as,
    });
  const event = (more: object = {}) =>
    new CloudEvent({ id: "e1", type: "config.updated", source: "/outside", data: { a: 1 }, ...more });
  const found = async (id: string) => {
    const { json } = await ask("/debug/events");
    return (json.events as { id: string }[]).find((each) => each.id === id);
  };

  test("takes the three modes of CloudEvents, as another implementation sends them", async () => {
    expect(await post(HTTP.binary(event({ id: "binary" })))).toMatchObject({
      code: 202,
      json: { ids: ["binary"] },
    });
    expect(await post(HTTP.structured(event({ id: "structured" })))).toMatchObject({ code: 202 });
    const batch = ["b1", "b2"].map((id) => event({ id }).toJSON());
    const headers = { "content-type": "application/cloudevents-batch+json" };
    expect((await post({ headers, body: JSON.stringify(batch) })).json).toEqual({ ids: ["b1", "b2"] });
    for (const id of ["binary", "structured", "b1", "b2"]) {
      expect(await found(id)).toMatchObject({
        id,
        type: "config.updated",
        source: "/outside",
        data: { a: 1 },
        metadata: {},
      });
    }
  });

  test("stores an event once, and takes no attributes of the log from outside", async () => {
    const message = HTTP.structured(event({ id: "twice", revision: "1", resync: true }));
    expect((await post(message)).code).toBe(202);
    expect((await post(message)).json).toEqual({ ids: ["twice"] });
    const { json } = await ask("/debug/events");
    const all = (json.events as { id: string; metadata: { revision: string; resync?: boolean } }[]).filter(
      ({ id }) => id === "twice",
    );
    expect(all).toHaveLength(1);
    expect(all[0]?.metadata.revision).not.toBe("1");
    expect(all[0]?.metadata.resync).toBe(undefined);
  });

  test("refuses what is no event", async () => {
    const structured = { "content-type": "application/cloudevents+json" };
    const json = (body: unknown) => ({ headers: structured, body: JSON.stringify(body) });
    const valid = { specversion: "1.0", id: "x", type: "a.b", source: "/s" };
    expect((await post({ headers: {}, body: "hello" })).code).toBe(400);
    expect((await post({ headers: structured, body: "{" })).code).toBe(400);
    expect((await post(json([valid]))).code).toBe(400);
    for (const wrong of [
      { ...valid, type: undefined },
      { ...valid, type: "a\u0000b" },
      { ...valid, type: "a\nb" },
      { ...valid, type: "../a" },
      { ...valid, id: "" },
      { ...valid, specversion: "2.0" },
      { ...valid, Extension: "x" },
      { ...valid, extension: { a: 1 } },
    ]) {
      expect(await post(json(wrong)), JSON.stringify(wrong)).toMatchObject({
        code: 422,
        headers: { "content-type": "application/problem+json" },
      });
    }
    expect((await ask("/events")).code).toBe(405);
    expect((await post(HTTP.binary(event()), null)).code).toBe(403);
    expect((await post(HTTP.binary(event()), "wrong")).code).toBe(401);
  });

  test("refuses events that are too large, one by one and in batches", async () => {
    const large = event({ id: "large", data: "x".repeat(2 ** 20) });
    expect(await post(HTTP.binary(large))).toMatchObject({ code: 413, json: { status: 413 } });
    expect((await post(HTTP.structured(large))).code).toBe(413);
    expect((await post({ headers: HTTP.binary(event()).headers, body: "x".repeat(10_000_000) })).code).toBe(
      413,
    );
    const headers = { "content-type": "application/cloudevents-batch+json" };
    const body = JSON.stringify([event({ id: "fine" }).toJSON(), large.toJSON()]);
    expect((await post({ headers, body })).json.detail).toContain("event large has");
    // All or none.
    expect(await found("fine")).toBe(undefined);
    await using small = await start({ events: { maxSize: 200 } });
    const { code } = await ask("/events", {
      method: "POST",
      ...(HTTP.structured(event({ data: "x".repeat(300) })) as {
        headers: Record<string, string>;
        body: string;
      }),
      as: adminToken(small),
      of: small,
    });
    expect(code).toBe(413);
  });
});

describe("/debug", () => {
  test("shows events in their short form, and streams them", async () => {
    for (let index = 0; index < 5; index++) await plane.events.emit({ type: "debug.test", data: { index } });
    const { json } = await ask("/debug/events?type=debug.*&tail=3");
    expect(json.events.map((each: { data: object }) => each.data)).toEqual([
      { index: 2 },
      { index: 3 },
      { index: 4 },
    ]);
    expect(Object.keys(json.events[0] as object).sort()).toEqual([
      "data",
      "id",
      "metadata",
      "source",
      "timestamp",
      "type",
    ]);
    const stream = await request(`${plane.url}/debug/events?type=debug.*&tail=1&follow=true`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await plane.events.emit({ type: "debug.test", data: { index: 5 } });
    let text = "";
    for await (const chunk of stream.body) {
      text += String(chunk);
      if (text.split("\n").length > 2) break;
    }
    const received = text
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { data: object }).data);
    expect(received).toEqual([{ index: 4 }, { index: 5 }]);
    const from = await request(`${plane.url}/debug/events?type=debug.*&after=${json.position}&follow=true`, {
      headers: { authorization: `Bearer ${token}` },
    });
    for await (const chunk of from.body) {
      expect(JSON.parse(String(chunk).split("\n")[0] ?? "")).toMatchObject({ data: { index: 5 } });
      break;
    }
    expect((await ask("/debug/events?type=a..b")).code).toBe(400);
    expect((await ask("/debug/events?after=x&follow=true")).code).toBe(400);
  });

  test("shows the state of the store and metrics", async () => {
    const { json } = await ask("/debug/state?key=*namespaces*");
    expect(json.entries[0].key).toContain("namespaces");
    const metrics = (await ask("/debug/metrics")).json;
    expect(metrics.process.memory.rss).toBeGreaterThan(0);
    const runs = metrics.metrics.find(
      ({ name }: { name: string }) => name === "controller_runtime_reconcile_total",
    );
    expect(runs).toMatchObject({ type: "counter", help: expect.any(String), samples: expect.any(Array) });
  });

  test("is for administrators", async () => {
    for (const path of ["/debug/events", "/debug/state", "/debug/metrics", "/debug/components"]) {
      expect((await ask(path, { as: null })).code).toBe(403);
      expect((await ask(path, { method: "DELETE" })).code).toBe(405);
    }
    // Permission for the path alone does not show objects.
    await using other = await start({
      authorize: ({ user, path }) => ({
        allowed: user.groups.includes("system:masters") || path.startsWith("/debug"),
      }),
    });
    expect((await ask("/debug/events", { as: null, of: other })).code).toBe(403);
    expect(
      (await ask("/debug/components/reconciler", { method: "PUT", body: {}, as: null, of: other })).code,
    ).toBe(403);
  });

  test("can be switched off, in part or as a whole", async () => {
    await using part = await start({ debug: { endpoints: [{ path: "/debug/events" }] } });
    const as = adminToken(part);
    expect((await ask("/debug/events", { as, of: part })).code).toBe(200);
    expect((await ask("/debug/state", { as, of: part })).code).toBe(404);
    await using off = await start({
      debug: { enabled: false, components: { state_store: { log_operations: true } } },
    });
    expect((await ask("/debug/events", { as: adminToken(off), of: off })).code).toBe(404);
    expect(lines.filter(({ component }) => component === "state_store")).toEqual([]);
  });

  test("switches the output of components", async () => {
    const set = (name: string, body: object) => ask(`/debug/components/${name}`, { method: "PUT", body });
    expect((await ask("/debug/components")).json).toEqual({
      components: {
        control_loop: { enabled: true, trace_events: false },
        reconciler: { enabled: true, log_diffs: false },
        state_store: { enabled: true, log_operations: false },
      },
    });
    expect((await ask("/debug/components/none")).code).toBe(404);
    expect((await set("reconciler", { trace_events: true })).json.message).toContain(
      "its switches are enabled, log_diffs",
    );
    expect((await set("reconciler", { log_diffs: "yes" })).json.message).toContain("must be true or false");

    lines.length = 0;
    plane.events.subscribe("traced.*", () => {});
    await plane.events.emit({ type: "traced.before" });
    expect((await set("control_loop", { trace_events: true })).json).toEqual({
      enabled: true,
      trace_events: true,
    });
    expect((await ask("/debug/components/control_loop")).json.trace_events).toBe(true);
    await vi.waitFor(async () => {
      await plane.events.emit({ type: "traced.event", subject: "a" });
      const texts = lines.filter(({ type }) => type === "traced.event").map(({ text }) => text);
      expect(new Set(texts)).toEqual(new Set(["event", "event handled"]));
    });
    await set("control_loop", { enabled: false });
    expect((await ask("/debug/components/control_loop")).json).toEqual({
      enabled: false,
      trace_events: true,
    });

    await set("reconciler", { log_diffs: true });
    await plane.client.create(Site, { metadata: { name: "a" }, spec: { title: "first" } });
    await plane.controllers.idle();
    const diffs = lines.filter(({ component }) => component === "reconciler");
    expect(diffs.map(({ text }) => text)).toContain("apply Secret default/a-key");
    expect(JSON.stringify(diffs)).not.toContain("hunter2");
    await set("reconciler", { log_diffs: false });

    await set("state_store", { log_operations: true });
    await plane.client.get(Site, "a");
    await plane.client.modify(Site, "a", (site) => ({ ...site, spec: { title: "second" } }));
    await plane.controllers.idle();
    await set("state_store", { log_operations: false });
    const operations = lines.filter(({ component }) => component === "state_store");
    expect(operations.map(({ operation }) => operation)).toContain("commit");
    const commit = operations.find(({ operation }) => operation === "commit");
    expect(commit).toMatchObject({ revision: expect.any(Number), took: expect.any(Number) });
    expect(JSON.stringify(operations)).not.toContain("hunter2");
    const count = lines.length;
    await plane.client.modify(Site, "a", (site) => ({ ...site, spec: { title: "third" } }));
    await plane.controllers.idle();
    expect(lines.filter(({ component }) => component !== undefined)).toHaveLength(
      lines.slice(0, count).filter(({ component }) => component !== undefined).length,
    );
  });

  test("refuses components that do not exist at the start", async () => {
    await expect(start({ debug: { components: { loop: {} } as never } })).rejects.toThrow(
      'there is no component "loop"; the components are control_loop, reconciler, state_store',
    );
  });
});

describe("/health and /ready", () => {
  test("are JSON, with reasons for administrators", async () => {
    await using other = await start();
    const as = adminToken(other);
    // Other checks may fail on a busy machine.
    const reasonsOf = (json: { readonly reasons: readonly string[] }) =>
      json.reasons.filter((reason) => /^(?:tank|link)/.test(reason));
    const { health } = other.controllers;
    expect((await ask("/health", { as: null, of: other })).json.status).toMatch(/^(?:healthy|degraded)$/);
    health.check("tank", () => ({ ok: false, message: "97 % full" }), { critical: false });
    const ready = await ask("/ready", { as, of: other });
    expect([ready.code, ready.json.status, reasonsOf(ready.json)]).toEqual([
      200,
      "degraded",
      ["tank: 97 % full"],
    ]);
    health.check("link", () => false);
    const { code, json } = await ask("/health", { as: null, of: other });
    expect([code, json.status, reasonsOf(json)]).toEqual([503, "unhealthy", ["tank", "link"]]);
    expect(JSON.stringify(json)).not.toContain("97 %");
    expect(json.checks).toContainEqual({ name: "tank", status: "degraded" });
    expect((await ask("/health", { method: "POST", of: other, as })).code).toBe(405);
    expect((await ask("/healthz", { as: null, of: other })).text).toBe("ok");
  });
});
