import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configMap, configMaps } from "../server/http/paths.js";
import { Connection, openMany } from "./connection.js";
import { count, full, latencies, patience, report } from "./figures.js";
import { startFlood, type FloodKind } from "./flood.js";
import { alice, bob, startLoadServer, type LoadServer } from "./load-server.js";

// Default limits at full size, where there is time to reach them.
const limits = full ? {} : { waiting: 200 };
const connections = full ? 4000 : 600;
const requests = full ? 200 : 30;
const listed = full ? 5000 : 300;

let server: LoadServer;
let client: Connection;

beforeAll(async () => {
  server = await startLoadServer({ limits });
  client = await Connection.open(server.url, bob);
  expect((await client.ask("POST", configMaps, configMap("there"))).code).toBe(201);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "listed" } };
  expect((await client.ask("POST", "/api/v1/namespaces", namespace)).code).toBe(201);
  const text = "x".repeat(500);
  let next = 0;
  await Promise.all(
    (await openMany(server.url, bob, 20)).map(async (connection) => {
      while (next < listed) {
        const body = configMap(`listed-${next++}`, { text });
        expect((await connection.ask("POST", "/api/v1/namespaces/listed/configmaps", body)).code).toBe(201);
      }
      connection.close();
    }),
  );
});
afterAll(async () => {
  client.close();
  await server[Symbol.asyncDispose]();
});

/** Reads and updates an object as Bob, one request at a time; returns the latencies. */
async function work(times: number): Promise<{ readonly reads: number[]; readonly writes: number[] }> {
  const reads: number[] = [];
  const writes: number[] = [];
  for (let time = 0; time < times; time++) {
    const begin = performance.now();
    const read = await client.ask("GET", `${configMaps}/there`);
    const between = performance.now();
    const write = await client.ask("PATCH", `${configMaps}/there`, { data: { time: String(time) } });
    reads.push(between - begin);
    writes.push(performance.now() - between);
    expect([read.code, write.code]).toEqual([200, 200]);
  }
  return { reads, writes };
}

async function refusals(): Promise<number> {
  const { samples } = await server.metrics();
  const dropped = samples.filter(({ name }) => name === "apiserver_dropped_requests_total");
  return dropped.reduce((sum, { value }) => sum + value, 0);
}

async function waiting(): Promise<number> {
  const { samples } = await server.metrics();
  const all = samples.filter(({ name }) => /^apiserver_current_in(?:queue|flight)_requests$/.test(name));
  return all.reduce((sum, { value }) => sum + value, 0);
}

describe("serves a user while another floods the server", () => {
  let alone: Awaited<ReturnType<typeof work>>;
  beforeAll(async () => {
    await work(50);
    alone = await work(requests);
  });

  test.each<FloodKind>(["get", "list", "create"])(
    "with %s",
    async (kind) => {
      const before = await refusals();
      const stop = startFlood(server.url, alice, connections, kind);
      // The queue of the flooding user is full.
      await expect.poll(refusals, { timeout: patience }).toBeGreaterThan(before);
      const begin = performance.now();
      // None of his requests is refused or fails.
      const beside = await work(requests);
      const seconds = (performance.now() - begin) / 1000;
      const { codes, withoutRetryAfter, broken } = await stop();
      const { "429": refused = 0, ...others } = codes;
      const accepted = others[kind === "create" ? "201" : "200"] ?? 0;
      report(`${connections} connections of one user flood with ${kind}, while another works`, {
        "reads alone": latencies(alone.reads),
        "reads beside the flood": latencies(beside.reads),
        "writes alone": latencies(alone.writes),
        "writes beside the flood": latencies(beside.writes),
        "the flood": `${count(accepted)} answered, ${count(refused)} refused, in about ${seconds.toFixed(1)} s`,
      });
      // Refusals have a message and Retry-After, and there are no other errors.
      expect(Object.keys(others)).toEqual([kind === "create" ? "201" : "200"]);
      expect({ withoutRetryAfter, broken }).toEqual({ withoutRetryAfter: 0, broken: 0 });
      expect(refused).toBeGreaterThan(0);
      // Nothing stays queued after the flood.
      await expect.poll(waiting, { timeout: patience }).toBe(0);
    },
    patience,
  );
});
