import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { startTestServer, type TestServer } from "../test-server.js";
import { widget, widgetDefinition } from "../widgets.js";
import { asYaml, configMaps, definitions, widgets } from "./paths.js";
import { Wire, type Answer } from "./wire.js";

/**
 * A server for a file of tests that do it no good, with a widget and a configmap named `there`. After each of them it
 * must be alive, clean, and not surprised.
 */
export function sturdyServer(): { readonly wire: () => Wire; readonly server: () => TestServer } {
  let server: TestServer;
  let wire: Wire;

  beforeAll(async () => {
    server = await startTestServer({ tls: false });
    wire = new Wire(server, "http/1.1");
    expect((await wire.post(definitions, widgetDefinition, asYaml)).code).toBe(201);
    expect((await wire.post(widgets, widget("there", "red"), asYaml)).code).toBe(201);
    expect((await wire.post(configMaps, { metadata: { name: "there" } })).code).toBe(201);
  });
  afterAll(async () => {
    wire?.close();
    await server?.close();
  });
  afterEach(async () => {
    expect((await wire.get("/readyz")).text).toBe("ok");
    // It runs in this process, so that what it pollutes would be seen here.
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(server.errors).toEqual([]);
  });
  return { wire: () => wire, server: () => server };
}

/** A failure in Kubernetes' form, with words in it. */
export function expectStatus({ code, json }: Answer, expected: number, message?: RegExp): void {
  expect({ code, message: json.message }).toMatchObject({ code: expected });
  expect(json).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code: expected });
  expect(json.reason).toMatch(/^[A-Z]\w+$/);
  expect(json.message.length).toBeGreaterThanOrEqual(10);
  if (message !== undefined) expect(json.message).toMatch(message);
}

/** The same thing in itself, many times. */
export function nested(open: string, close: string, depth: number): string {
  return open.repeat(depth) + close.repeat(depth);
}
