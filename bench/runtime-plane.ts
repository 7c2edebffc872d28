import { join } from "node:path";
import { createClient, type Client } from "fettle/client";
import { inProcess } from "fettle/plane";
import { startApi } from "fettle/server";
import { openSqliteStore } from "fettle/store";
import { RawConnection, requestBytes } from "./raw-http.js";
import { startChild } from "./runtime-children.js";
import { clientOf, type Address } from "./runtime-client.js";
import { defineKinds, Widget, type WidgetDraft } from "./runtime-widgets.js";

/** An API server on a durable store, with clients for it. */
export interface Plane extends AsyncDisposable {
  readonly name: string;
  /** Folder for the record of runs; in memory without one. */
  readonly runs?: string;
  /** Client of the controllers. */
  readonly controllers: Client;
  /** Client that changes and watches objects; over HTTP it has connections of its own. */
  readonly client: Client;
  /** Opens `count` clients, each of which creates one widget at a time. */
  creators(count: number): Promise<Creators>;
}

export interface Creators {
  readonly create: readonly ((widget: WidgetDraft) => Promise<unknown>)[];
  close(): void;
}

/** API server and clients in this process. */
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

/** API server in a process of its own, clients in this one. */
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

/** Clients for a server at an address; defining the kinds there is up to the caller. */
export function remotePlane(name: string, address: Address): Plane {
  const client = clientOf(address);
  const controllers = clientOf(address);
  const headers = { Authorization: `Bearer ${address.token}`, "Content-Type": "application/json" };
  return {
    name,
    controllers,
    client,
    // Raw connections cost little processor time, of which the controllers in this process need all.
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

/** Creates `count` widgets, shared out among all creators. */
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
