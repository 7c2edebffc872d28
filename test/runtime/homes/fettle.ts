import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpTransport } from "../../../src/client/transport/http/http-transport.js";
import { inProcess } from "../../../src/plane/in-process.js";
import { startApi, startServer } from "../../../src/server/index.js";
import { MemoryStore } from "../../../src/store/index.js";
import type { Home } from "./home.js";

/** Fettle's API in this process; its time is that of the test. */
export const inProcessHome: Home = {
  name: "in process",
  lacks: {},
  async open(_, { clock, random }) {
    const store = new MemoryStore();
    const api = await startApi({ store, clock, random });
    return {
      transport: inProcess(api),
      async [Symbol.asyncDispose]() {
        await api.close();
        await store.close();
      },
    };
  },
};

/** Fettle's API behind the wire; its time is real, like that of any server elsewhere. */
export const httpHome: Home = {
  name: "over HTTP",
  lacks: {},
  async open() {
    const data = mkdtempSync(join(tmpdir(), "fettle-home-"));
    const store = new MemoryStore();
    const server = await startServer({ store, data, port: 0, tls: false });
    const { url, token } = server;
    const headers = async (): Promise<Record<string, string>> => ({ authorization: `Bearer ${token}` });
    return {
      transport: httpTransport({ connection: { server: url, namespace: "default", headers }, rate: false }),
      async [Symbol.asyncDispose]() {
        await server.close();
        await store.close();
        rmSync(data, { recursive: true, force: true });
      },
    };
  },
};
