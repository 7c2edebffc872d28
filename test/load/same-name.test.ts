import { afterAll, beforeAll, expect, test } from "vitest";
import { configMap, configMaps } from "../server/http/paths.js";
import { openMany, type Connection, type Reply } from "./connection.js";
import { latencies, patience, report } from "./figures.js";
import { alice, startLoadServer, type LoadServer } from "./load-server.js";

const clients = 1000;

let server: LoadServer;
let connections: Connection[];

beforeAll(async () => {
  server = await startLoadServer();
  connections = await openMany(server.url, alice, clients);
});
afterAll(async () => {
  for (const connection of connections) connection.close();
  await server[Symbol.asyncDispose]();
});

/** Sends a request from all clients at the same time. */
async function allAsk(
  what: string,
  ask: (connection: Connection, index: number) => Promise<Reply>,
): Promise<Reply[]> {
  const begin = performance.now();
  const times: number[] = [];
  const replies = await Promise.all(
    connections.map(async (connection, index) => {
      const reply = await ask(connection, index);
      times.push(performance.now() - begin);
      return reply;
    }),
  );
  report(`${clients} clients ${what} at once`, { "until they were answered": latencies(times) });
  return replies;
}

const codes = (replies: readonly Reply[], code: number): Reply[] =>
  replies.filter((reply) => reply.code === code);

test(
  "of concurrent creates of one name, one succeeds",
  async () => {
    const replies = await allAsk("create the same name", (connection, index) =>
      connection.ask("POST", configMaps, configMap("same", { by: String(index) })),
    );
    const [winner, ...others] = codes(replies, 201);
    expect(others).toEqual([]);
    const losers = codes(replies, 409);
    expect(losers).toHaveLength(clients - 1);
    for (const { json } of losers) expect(json).toMatchObject({ kind: "Status", reason: "AlreadyExists" });
    const kept = await connections[0]?.ask("GET", `${configMaps}/same`);
    expect(kept?.json).toEqual(winner?.json);
  },
  patience,
);

test(
  "of concurrent updates of one resourceVersion, one succeeds",
  async () => {
    const first = await connections[0]?.ask("GET", `${configMaps}/same`);
    const replies = await allAsk("update the same version", (connection, index) =>
      connection.ask("PUT", `${configMaps}/same`, { ...first?.json, data: { updated: String(index) } }),
    );
    const [winner, ...others] = codes(replies, 200);
    expect(others).toEqual([]);
    const losers = codes(replies, 409);
    expect(losers).toHaveLength(clients - 1);
    for (const { json } of losers) expect(json).toMatchObject({ kind: "Status", reason: "Conflict" });
    const kept = await connections[0]?.ask("GET", `${configMaps}/same`);
    expect(kept?.json).toEqual(winner?.json);
  },
  patience,
);

test(
  "concurrent creates with generateName get different names",
  async () => {
    const replies = await allAsk("have a name made", (connection) =>
      connection.ask("POST", configMaps, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { generateName: "made-" },
      }),
    );
    expect(codes(replies, 201)).toHaveLength(clients);
    expect(new Set(replies.map(({ json }) => json.metadata.name)).size).toBe(clients);
  },
  patience,
);
