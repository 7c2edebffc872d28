import { createClient } from "../../../src/client/create-client.js";
import type { Client } from "../../../src/client/client.js";
import {
  httpTransport,
  type HttpTransportOptions,
} from "../../../src/client/transport/http/http-transport.js";
import { customResourceDefinition } from "../../../src/model/index.js";
import { inProcess } from "../../../src/plane/in-process.js";
import { startTestServer, type TestServer } from "../../server/test-server.js";
import { FaultProxy } from "./fault-proxy.js";
import { Page, Site } from "./sites.js";

/** Server with the kinds Site and Page, behind a proxy that injects faults. */
export interface SiteServer extends AsyncDisposable {
  readonly server: TestServer;
  readonly proxy: FaultProxy;
  /** Client without the proxy, in this process, which no fault affects. */
  readonly direct: Client;
  /** Client through this proxy, or another. */
  client(options?: Omit<HttpTransportOptions, "connection">, by?: FaultProxy): Client;
}

export async function startSiteServer(): Promise<SiteServer> {
  const server = await startTestServer({ tls: false });
  const proxy = await FaultProxy.start(server.url);
  const direct = createClient({ transport: inProcess(server.server.api) });
  await defineKinds(direct);
  const clients: Client[] = [];
  return {
    server,
    proxy,
    direct,
    client(options = {}, by = proxy) {
      const headers = async (): Promise<Record<string, string>> => ({
        authorization: `Bearer ${server.token}`,
      });
      const connection = { server: by.url, namespace: "default", headers };
      const client = createClient({ transport: httpTransport({ rate: false, ...options, connection }) });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client[Symbol.asyncDispose]();
      await direct[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

/** Resolves when both kinds are served. */
export async function defineKinds(client: Client): Promise<void> {
  for (const kind of [Site, Page]) await client.create(customResourceDefinition(kind) as never);
  for (const kind of [Site, Page]) {
    while ((await client.list(kind).catch(() => undefined)) === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
