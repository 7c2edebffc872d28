import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "../../src/client/create-client.js";
import type { Client } from "../../src/client/client.js";
import { httpTransport } from "../../src/client/transport/http/http-transport.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { inProcess } from "../../src/plane/in-process.js";
import { startServer, type Server } from "../../src/server/index.js";
import { MemoryStore } from "../../src/store/index.js";

/** Transports to reach an API. */
export const ways = ["in process", "over HTTP"] as const;
type Way = (typeof ways)[number];

/** Server with an empty store in memory, and clients over every transport. */
export interface Home extends AsyncDisposable {
  readonly server: Server;
  readonly store: MemoryStore;
  transport(way: Way): Transport;
  /** Client in a new namespace of its own. */
  client(way: Way): Promise<Client>;
}

export async function startHome(): Promise<Home> {
  const data = mkdtempSync(join(tmpdir(), "fettle-client-"));
  const store = new MemoryStore();
  const server = await startServer({ store, data, port: 0, tls: false });
  const transports: Transport[] = [];
  let namespaces = 0;
  const home: Home = {
    server,
    store,
    transport(way) {
      const transport = way === "in process" ? inProcess(server.api) : overHttp(server);
      transports.push(transport);
      return transport;
    },
    async client(way) {
      const namespace = `space-${++namespaces}`;
      const client = createClient({ transport: home.transport(way), namespace });
      await client.create("v1/Namespace", { metadata: { name: namespace } });
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const transport of transports) await transport[Symbol.asyncDispose]();
      await server.close();
      await store.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
  return home;
}

function overHttp({ url, token }: Server): Transport {
  const headers = async (): Promise<Record<string, string>> => ({ authorization: `Bearer ${token}` });
  return httpTransport({ connection: { server: url, namespace: "default", headers }, rate: false });
}
