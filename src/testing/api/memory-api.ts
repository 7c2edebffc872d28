import type { Client, Manifest } from "../../client/client.js";
import { createClient } from "../../client/create-client.js";
import { Namespace } from "../../client/kinds/kubernetes.js";
import type { Transport } from "../../client/transport/transport.js";
import { isAlreadyExists, type Clock, type KubeObject, type Random } from "../../model/core.js";
import { customResourceDefinition } from "../../model/schema/custom-resource-definition.js";
import type { Resource } from "../../model/schema/resource-types.js";
import { inProcess } from "../../plane/in-process.js";
import { startApi, type Api } from "../../server/index.js";
import { MemoryStore } from "../../store/index.js";

/** The real API on a store in memory. */
export interface MemoryApi extends AsyncDisposable {
  readonly api: Api;
  readonly transport: Transport;
  /** Counts everything that was ever written. */
  readonly revision: () => number;
}

export interface MemoryApiOptions {
  readonly kinds: readonly Resource[];
  readonly objects?: readonly TestObject[] | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** An object to begin with: a manifest, with its status if it has one. */
export type TestObject = Manifest | KubeObject;

export async function startMemoryApi({
  kinds,
  objects = [],
  clock,
  random,
}: MemoryApiOptions): Promise<MemoryApi> {
  // Tests look back as far as they like.
  const store = new MemoryStore({ clock, retention: { age: "10000h", every: "10000h" } });
  const api = await startApi({ store, clock, random });
  const transport = inProcess(api, { clock });
  let revision = 0;
  const ending = new AbortController();
  const counting = count();
  const client = createClient({ transport, clock, random });
  for (const kind of kinds) await client.create(customResourceDefinition(kind) as unknown as Manifest);
  for (const object of objects) await put(client, object);
  return {
    api,
    transport,
    revision: () => revision,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await transport[Symbol.asyncDispose]();
      await api.close();
      await store.close();
      await counting;
    },
  };

  async function count(): Promise<void> {
    const watch = store.watch({ prefix: "/", signal: ending.signal });
    try {
      for await (const batch of watch) ({ revision } = batch);
    } catch (error) {
      if (!ending.signal.aborted) throw error;
    }
  }
}

/** Creates an object as it is given: in a namespace that is made if need be, and with its status. */
async function put(client: Client, manifest: Manifest): Promise<void> {
  const { namespace } = manifest.metadata;
  if (namespace !== undefined && namespace !== "default") {
    await client.create(Namespace, { metadata: { name: namespace } }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  const { resourceVersion: _, uid: __, ...metadata } = manifest.metadata;
  const made = await client.create({ ...manifest, metadata } as Manifest);
  const { status } = manifest as { readonly status?: unknown };
  if (status !== undefined) await client.patchStatus(made, made, { status });
}
