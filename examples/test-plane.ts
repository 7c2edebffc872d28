import { setImmediate as turn } from "node:timers/promises";
import { createClient, customResourceDefinition, duration, MemoryStore, startControllers } from "fettle";
import type { Client, Controllers, Duration, ExternalKind, ObjectOf, Resource } from "fettle";
import { systemClock, VirtualClock } from "fettle/model";
import type { ControllersOptions } from "fettle/runtime";
import { startApi } from "fettle/server";
import { inProcess } from "fettle/plane";

type Kind = Resource | ExternalKind;

export interface TestPlane extends AsyncDisposable {
  readonly client: Client;
  readonly controllers: Controllers;
  /** Resolves as soon as what the object says (or that it is not there) satisfies; told by a watch. */
  readonly until: <K extends Kind>(
    kind: K,
    which: string | { readonly name: string; readonly namespace: string },
    holds: (object: ObjectOf<K> | undefined) => boolean,
  ) => Promise<ObjectOf<K> | undefined>;
  /** The same for all objects of a kind. */
  readonly untilAll: <K extends Kind>(
    kind: K,
    holds: (objects: readonly ObjectOf<K>[]) => boolean,
  ) => Promise<void>;
  /** Lets time pass, a second at a time: what is due in one is over before the next begins. Needs a VirtualClock. */
  readonly pass: (time: Duration) => Promise<void>;
}

interface TestPlaneOptions extends Omit<ControllersOptions, "client"> {
  readonly kinds: readonly Resource[];
}

/** An API in memory with controllers at work on it. */
export async function startTestPlane({ kinds, ...options }: TestPlaneOptions): Promise<TestPlane> {
  const { clock = systemClock } = options;
  const store = new MemoryStore({ clock });
  const api = await startApi({ store, clock });
  const client = createClient({ transport: inProcess(api, { clock }), clock });
  for (const kind of kinds) await client.create(customResourceDefinition(kind));
  const controllers = startControllers({ ...options, client });
  await controllers.ready();

  const untilAll: TestPlane["untilAll"] = async (kind, holds) => {
    const { items, resourceVersion } = await client.list(kind);
    const found = new Map(items.map((object) => [object.metadata.uid, object]));
    if (holds([...found.values()])) return;
    for await (const { type, object } of client.watch(kind, { resourceVersion })) {
      if (type === "DELETED") found.delete(object.metadata.uid);
      else found.set(object.metadata.uid, object);
      if (holds([...found.values()])) return;
    }
    throw new Error(`the watch on ${kind.kind} ended before it came to be`);
  };

  return {
    client,
    controllers,
    untilAll,
    async until(kind, which, holds) {
      const { name, namespace = "default" } = typeof which === "string" ? { name: which } : which;
      const isIt = ({ metadata }: { readonly metadata: { name?: string; namespace?: string } }): boolean =>
        metadata.name === name && (kind.scope === "Cluster" || metadata.namespace === namespace);
      let object;
      await untilAll(kind, (objects) => {
        object = objects.find(isIt);
        return holds(object);
      });
      return object;
    },
    async pass(time) {
      if (!(clock instanceof VirtualClock)) throw new TypeError("time passes by itself: give a VirtualClock");
      await turn();
      for (let left = duration(time); left > 0; left -= 1000) {
        await clock.advance(Math.min(1000, left));
        await turn();
      }
    },
    async [Symbol.asyncDispose]() {
      await controllers.stop();
      await client[Symbol.asyncDispose]();
      await api.close();
      await store.close();
    },
  };
}
