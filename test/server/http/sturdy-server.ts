import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { startTestServer, type TestServer } from "../test-server.js";
import { widget, widgetDefinition } from "../widgets.js";
import { asYaml, configMaps, definitions, widgets } from "./paths.js";
import { Wire, type Answer } from "./wire.js";

/**
 * Server for a file of hostile tests, with a widget and a configmap named `there`. After each test it must respond,
 * have no polluted prototypes, and have reported no internal errors.
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
    // The server runs in this process, so that polluted prototypes are visible here.
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(server.errors).toEqual([]);
  });
  return { wire: () => wire, server: () => server };
}

/** Checks that a response is a failure Status with a message. */
export function expectStatus({ code, json }: Answer, expected: number, message?: RegExp): void {
  expect({ code, message: json.message }).toMatchObject({ code: expected });
  expect(json).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code: expected });
  expect(json.reason).toMatch(/^[A-Z]\w+$/);
  expect(json.message.length).toBeGreaterThanOrEqual(10);
  if (message !== undefined) expect(json.message).toMatch(message);
}

/** Repeats an opening and a closing string around nothing, `depth` times. */
export function nested(open: string, close: string, depth: number): string {
  return open.repeat(depth) + close.repeat(depth);
}
