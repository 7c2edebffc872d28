import { systemClock, systemRandom, type Clock, type Random } from "../model/core.js";
import type { Store } from "../store/index.js";
import { Changes } from "./controllers/changes.js";
import { DefinitionCleanup } from "./controllers/definition-cleanup.js";
import { DefinitionController } from "./controllers/definition-controller.js";
import { GarbageCollector } from "./controllers/garbage/garbage-collector.js";
import { NamespaceController } from "./controllers/namespace-controller.js";
import { PublishedServer, type ServerAddress } from "./controllers/published-server.js";
import { definitionStrategy } from "./custom-resources/definition-strategy.js";
import { builtInTypes } from "./kinds/built-in-types.js";
import { parseServiceRanges, type ServiceRangeOptions } from "./kinds/strategy/network/service-ranges.js";
import type { Authorize } from "./access/authorize.js";
import { serviceIdentity } from "./access/user.js";
import type { AdmissionPlugin } from "./admission/admission.js";
import { Registry } from "./registry/registry.js";
import { Caller } from "./request/caller.js";
import { RequestPipeline, type AuditRecord } from "./request/pipeline.js";
import { ResourceTypes } from "./resources/resource-types.js";

export interface ApiOptions {
  /** Store of all objects. It stays open when the API is closed. */
  readonly store: Store;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Largest object in bytes, as it is stored: with its managedFields. Default: 1,572,864 (1.5 MiB), as in Kubernetes. */
  readonly maxObjectBytes?: number | undefined;
  /** Default: members of `system:masters` may do everything, and others nothing. */
  readonly authorize?: Authorize | undefined;
  /** Ranges from which services get addresses and node ports. */
  readonly services?: ServiceRangeOptions | undefined;
  /** Plugins that may change or refuse every write; they run in this order. */
  readonly admission?: readonly AdmissionPlugin[] | undefined;
  /** Receives every request after it was handled. */
  readonly audit?: ((record: AuditRecord) => void) | undefined;
  /** Receives errors of background work, which is retried. */
  readonly onError?: (error: unknown, doing: string) => void;
}

/** The API without HTTP: the request pipeline, the registry, and the server's own controllers. */
export interface Api extends AsyncDisposable {
  /** Handles every request to the API. */
  readonly pipeline: RequestPipeline;
  readonly registry: Registry;
  /** Tells clients by objects where the server is: the Service `kubernetes` and its endpoints. */
  publish(server: ServerAddress): void;
  /** Resolves when the controllers have nothing left to do at once. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Serves the objects of a store to this process. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { store, clock = systemClock, random = systemRandom, onError = () => {} } = options;
  const types = new ResourceTypes();
  const registry = new Registry({ store, types, clock, random, maxObjectBytes: options.maxObjectBytes });
  const { authorize, admission, audit } = options;
  const pipeline = new RequestPipeline({
    registry,
    authorize,
    admission,
    audit,
    onError: (error) => onError(error, "audit"),
  });
  const changes = new Changes({ store, clock, onError: (error) => onError(error, "changes") });
  const controller = (name: string) => ({
    api: new Caller(pipeline, serviceIdentity(`system:fettle:${name}`)),
    registry,
    store,
    clock,
    onError: (error: unknown, key: string) => onError(error, `${name} ${key}`),
  });
  const definitions = new DefinitionController(controller("definition-controller"));
  // Depends on the changes and the definitions only, so every other controller may await it.
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
  const ranges = parseServiceRanges(options.services);
  const [addresses] = ranges.addresses.values();
  const published = new PublishedServer({
    ...controller("published-server"),
    clusterIP: addresses?.at(0) ?? "",
  });
  const controllers = [definitions, namespaces, garbage, cleanup, published];
  for (const listener of controllers) changes.add(listener);
  types.set(
    "built-in",
    builtInTypes({
      authorize,
      services: ranges,
      customResourceDefinition: {
        ...definitionStrategy,
        // A client can use the kind as soon as it has the response to its definition.
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
    publish: (server) => published.publish(server),
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
