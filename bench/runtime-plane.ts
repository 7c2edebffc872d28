import { join } from "node:path";
import { createClient, type Client } from "fettle/client";
import { inProcess } from "fettle/plane";
import { startApi } from "fettle/server";
import { openSqliteStore } from "fettle/store";
import { RawConnection, requestBytes } from "./raw-http.js";
import { startChild } from "./runtime-children.js";
import { clientOf, type Address } from "./runtime-client.js";
import { defineKinds, Widget, type WidgetDraft } from "./runtime-widgets.js";

/** An API on a durable store, and the ways to it. */
export interface Plane extends AsyncDisposable {
  readonly name: string;
  /** Folder for the record of runs; in memory without one. */
  readonly runs?: string;
  /** For controllers. */
  readonly controllers: Client;
  /** For who changes and watches; where there are connections, these are others. */
  readonly client: Client;
  /** So many clients, each of which creates one widget at a time. */
  creators(count: number): Promise<Creators>;
}

export interface Creators {
  readonly create: readonly ((widget: WidgetDraft) => Promise<unknown>)[];
  close(): void;
}

/** All in this process. */
export async function inProcessPlane(folder: string): Promise<Plane> {
  const store = await openSqliteStore(join(folder, "in-process"));
  const api = await startApi({ store });
  const client = createClient({ transport: inProcess(api) });
  await defineKinds(client);
  return {
    name: "in-process",
    runs: join(folder, "runs"),
    controllers: client,
    client,
    async creators(count) {
      const create = (widget: WidgetDraft): Promise<unknown> => client.create(Widget, widget);
      return { create: Array.from({ length: count }, () => create), close() {} };
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await api.close();
      await store.close();
    },
  };
}

/** The API in a process of its own, everything else here. */
export async function httpPlane(folder: string): Promise<Plane & { readonly address: Address }> {
  const server = startChild("server-process.js", { arguments: ["fettle", folder] });
  const address = await server.answer<Address>();
  const plane = remotePlane("HTTP", address);
  await defineKinds(plane.client);
  return {
    ...plane,
    runs: join(folder, "runs"),
    address,
    async [Symbol.asyncDispose]() {
      await plane[Symbol.asyncDispose]();
      await server.stop();
    },
  };
}

/** Any API that has an address, and in which the kinds are or will be defined. */
export function remotePlane(name: string, address: Address): Plane {
  const client = clientOf(address);
  const controllers = clientOf(address);
  const headers = { Authorization: `Bearer ${address.token}`, "Content-Type": "application/json" };
  return {
    name,
    controllers,
    client,
    // The clients should cost this process as little as can be: it is the controllers' process.
    async creators(count) {
      const connections = await Promise.all(Array.from({ length: count }, () => RawConnection.open(address)));
      const { apiVersion, kind, plural } = Widget;
      const create = connections.map((connection) => (widget: WidgetDraft): Promise<unknown> => {
        const path = `/apis/${apiVersion}/namespaces/${widget.metadata.namespace}/${plural}`;
        const body = JSON.stringify({ apiVersion, kind, ...widget });
        return connection.send(requestBytes("POST", path, headers, body));
      });
      return { create, close: () => connections.forEach((connection) => connection.close()) };
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await controllers[Symbol.asyncDispose]();
    },
  };
}

/** Creates as many widgets as asked for, by all creators together. */
export async function createAll(
  { create }: Creators,
  count: number,
  draft: (index: number) => WidgetDraft,
): Promise<void> {
  let next = 0;
  await Promise.all(
    create.map(async (creator) => {
      while (next < count) await creator(draft(next++));
    }),
  );
}
