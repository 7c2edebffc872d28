import { systemClock, systemRandom, type Clock, type Random } from "../model/core.js";
import type { Store } from "../store/index.js";
import { Changes } from "./controllers/changes.js";
import { DefinitionCleanup } from "./controllers/definition-cleanup.js";
import { DefinitionController } from "./controllers/definition-controller.js";
import { GarbageCollector } from "./controllers/garbage/garbage-collector.js";
import { NamespaceController } from "./controllers/namespace-controller.js";
import { definitionStrategy } from "./custom-resources/definition-strategy.js";
import { builtInTypes } from "./kinds/built-in-types.js";
import type { Authorize } from "./access/authorize.js";
import { serviceIdentity } from "./access/user.js";
import type { AdmissionPlugin } from "./admission/admission.js";
import { Registry } from "./registry/registry.js";
import { Caller } from "./request/caller.js";
import { RequestPipeline, type AuditRecord } from "./request/pipeline.js";
import { builtInSource, ResourceTypes } from "./resources/resource-types.js";

export interface ApiOptions {
  /** Where everything is kept. It stays open when the API is closed. */
  readonly store: Store;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Largest object in bytes, as it is stored: with its managedFields. Default: 1,572,864 (1.5 MiB), as in Kubernetes. */
  readonly maxObjectBytes?: number | undefined;
  /** Default: members of `system:masters` may do everything, and others nothing. */
  readonly authorize?: Authorize | undefined;
  /** Take part in every write, in this order. */
  readonly admission?: readonly AdmissionPlugin[] | undefined;
  /** Receives every request after it was handled. */
  readonly audit?: ((record: AuditRecord) => void) | undefined;
  /** Receives errors of background work, which is retried. */
  readonly onError?: (error: unknown, doing: string) => void;
}

/** The API without its wire: the registry, and the controllers that keep its promises. */
export interface Api extends AsyncDisposable {
  /** Handles every request to the API. */
  readonly pipeline: RequestPipeline;
  readonly registry: Registry;
  /** Resolves when the controllers have nothing left to do at once. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Serves what is in a store, in this process. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { store, clock = systemClock, random = systemRandom, onError = () => {} } = options;
  const types = new ResourceTypes();
  const registry = new Registry({ store, types, clock, random, maxObjectBytes: options.maxObjectBytes });
  const { authorize, admission, audit } = options;
  const pipeline = new RequestPipeline({ registry, authorize, admission, audit });
  const changes = new Changes({ store, clock, onError: (error) => onError(error, "changes") });
  const controller = (name: string) => ({
    api: new Caller(pipeline, serviceIdentity(`system:fettle:${name}`)),
    registry,
    store,
    clock,
    onError: (error: unknown, key: string) => onError(error, `${name} ${key}`),
  });
  const definitions = new DefinitionController(controller("definition-controller"));
  // Waits for changes and definitions only, so whoever is neither may wait for it.
  const processed = async (revision: number): Promise<void> => {
    await changes.reached(revision);
    await definitions.idle();
  };
  const namespaces = new NamespaceController({ ...controller("namespace-controller"), processed });
  const garbage = new GarbageCollector({ ...controller("garbage-collector"), processed });
  const cleanup = new DefinitionCleanup({
    ...controller("definition-cleanup"),
    processed,
    collected: async (revision) => {
      await changes.complete();
      await garbage.collected(revision);
    },
  });
  const controllers = [definitions, namespaces, garbage, cleanup];
  for (const listener of controllers) changes.add(listener);
  types.set(
    builtInSource,
    builtInTypes({
      customResourceDefinition: {
        ...definitionStrategy,
        // Who defines a kind can use it as soon as the answer is there.
        afterWrite: async ({ metadata }) => {
          if (!metadata.deletionTimestamp) await definitions.settled(metadata.name ?? "");
        },
      },
    }),
  );

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await changes.stop();
    await Promise.all(controllers.map((each) => each.stop()));
  };
  const api: Api = {
    pipeline,
    registry,
    async idle() {
      for (let before = -1; ;) {
        const { revision } = await store.status();
        if (revision === before && controllers.every((each) => each.isIdle)) return;
        before = revision;
        await changes.complete();
        await changes.reached(revision);
        for (const each of controllers) await each.idle();
      }
    },
    close() {
      closing ??= close();
      return closing;
    },
    [Symbol.asyncDispose]: () => api.close(),
  };

  try {
    const { revision } = await store.status();
    await definitions.start();
    changes.start(revision);
    await namespaces.start();
    return api;
  } catch (error) {
    await api.close();
    throw error;
  }
}
