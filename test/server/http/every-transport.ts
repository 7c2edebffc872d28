import { afterAll, beforeAll, describe, expect } from "vitest";
import { startTestServer, type TestServer } from "../test-server.js";
import { widgetDefinition } from "../widgets.js";
import { asYaml, definitions } from "./paths.js";
import { Wire, type Transport } from "./wire.js";

const transports: Transport[] = ["http/1.1", "https/1.1", "h2"];

/**
 * Runs the same tests over every transport, each with its own server with widgets, which must report no internal
 * errors.
 */
export function everyTransport(
  title: string,
  tests: (wire: () => Wire, server: () => TestServer, transport: Transport) => void,
): void {
  describe.each(transports)(`${title}, over %s`, (transport) => {
    let server: TestServer;
    let wire: Wire;

    beforeAll(async () => {
      server = await startTestServer({ tls: transport !== "http/1.1" });
      wire = new Wire(server, transport);
      expect((await wire.post(definitions, widgetDefinition, asYaml)).code).toBe(201);
    });
    afterAll(async () => {
      wire?.close();
      await server?.close();
      expect(server?.errors).toEqual([]);
    });

    tests(
      () => wire,
      () => server,
      transport,
    );
  });
}
