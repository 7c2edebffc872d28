import type { Manifest } from "../../client/client.js";
import { createClient } from "../../client/create-client.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Clock, Random } from "../../model/core.js";
import { customResourceDefinition } from "../../model/resource/custom-resource-definition.js";
import type { Resource } from "../../model/resource/resource-types.js";
import { inProcess } from "../../plane/in-process.js";
import { startApi, type Api } from "../../server/index.js";
import { MemoryStore, type Store } from "../../store/index.js";
import { createObjects, type TestObject } from "./put-objects.js";

/** Real API server on a store in memory. */
export interface MemoryApi extends AsyncDisposable {
  readonly api: Api;
  readonly transport: Transport;
  readonly store: Store;
  /** Serves further kinds. */
  readonly addKinds: (kinds: readonly Resource[]) => Promise<void>;
  /** Newest revision of the store. */
  readonly revision: () => number;
}

export interface MemoryApiOptions {
  readonly kinds: readonly Resource[];
  readonly objects?: readonly TestObject[] | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

export async function startMemoryApi({
  kinds,
  objects = [],
  clock,
  random,
}: MemoryApiOptions): Promise<MemoryApi> {
  // Keep all history, so that tests can read any of it.
  const store = new MemoryStore({ clock, retention: { age: "10000h", every: "10000h" } });
  const api = await startApi({ store, clock, random });
  const transport = inProcess(api, { clock });
  let revision = 0;
  const ending = new AbortController();
  const counting = count();
  const client = createClient({ transport, clock, random });
  const memory: MemoryApi = {
    api,
    transport,
    store,
    async addKinds(added) {
      for (const kind of added) await client.create(customResourceDefinition(kind) as unknown as Manifest);
    },
    revision: () => revision,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await transport[Symbol.asyncDispose]();
      await api.close();
      await store.close();
      await counting;
    },
  };
  try {
    await memory.addKinds(kinds);
    await createObjects(client, objects);
    return memory;
  } catch (error) {
    await memory[Symbol.asyncDispose]();
    throw error;
  }

  async function count(): Promise<void> {
    const watch = store.watch({ prefix: "/", signal: ending.signal });
    try {
      for await (const batch of watch) ({ revision } = batch);
    } catch (error) {
      if (!ending.signal.aborted) throw error;
    }
  }
}
