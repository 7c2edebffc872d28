import { createClient } from "../../src/client/create-client.js";
import type { Client } from "../../src/client/client.js";
import type { AnyKind, ExternalKind, ObjectOf } from "../../src/client/kinds/kind.js";
import { ConfigMap, Event, Namespace, Secret } from "../../src/client/kinds/kubernetes.js";
import type { KubeObject, Resource } from "../../src/model/index.js";
import { registerDefinitions } from "../../src/plane/definitions/register-definitions.js";
import { silent } from "../../src/runtime/log/log.js";
import type { Run } from "../../src/runtime/runs/run.js";
import {
  startControllers,
  type Controllers,
  type ControllersOptions,
} from "../../src/runtime/start/start-controllers.js";
import type { Home } from "./homes/home.js";
import { eventually, until } from "./until.js";

export interface TestApi extends AsyncDisposable {
  readonly client: Client;
  /** Versions of all objects: equal before and after when nothing was written. */
  readonly versions: () => Promise<readonly string[]>;
  /** Resolves with an object once a condition holds; undefined stands for a missing object. */
  readonly until: <K extends AnyKind>(
    kind: K,
    name: string,
    holds: (object: ObjectOf<K> | undefined) => boolean,
  ) => Promise<ObjectOf<K> | undefined>;
}

export interface TestPlane extends TestApi {
  readonly controllers: Controllers;
  /**
   * Resolves with the next run that matches, after the last one that was returned, whether or not it has ended already.
   */
  readonly run: (matches?: (run: Run) => boolean) => Promise<Run>;
  /** Resolves when the controllers, not only the API, have an object. */
  readonly seen: (kind: ExternalKind | Resource, key: string) => Promise<void>;
}

/** Starts an API with these kinds, without controllers. */
export async function startTestApi(
  home: Home,
  kinds: readonly Resource[],
  options: Pick<ControllersOptions, "clock" | "random"> = {},
): Promise<TestApi> {
  const opened = await home.open(kinds, options);
  const client = createClient({ transport: opened.transport });
  await registerDefinitions(client, kinds, { log: silent });
  return {
    client,
    async versions() {
      const found = [];
      for (const kind of [...kinds, ConfigMap, Event, Namespace, Secret]) {
        for (const { metadata } of (await client.list(kind)).items) {
          found.push(`${kind.kind} ${metadata.namespace}/${metadata.name} ${metadata.resourceVersion}`);
        }
      }
      return found;
    },
    until: (kind, name, holds) => until(client, kind, name, holds),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Starts an API with controllers. */
export async function startTestPlane(
  home: Home,
  kinds: readonly Resource[],
  options: Omit<ControllersOptions, "client">,
): Promise<TestPlane> {
  const api = await startTestApi(home, kinds, options);
  const controllers = startControllers({ ...options, client: api.client });
  const run = followRuns(controllers);
  await controllers.ready();
  return {
    ...api,
    controllers,
    run,
    seen: (kind, key) =>
      eventually(() =>
        controllers.all.every(({ loop }) => loop?.sources.cacheOf(kind).get(key) !== undefined),
      ),
    async [Symbol.asyncDispose]() {
      await controllers.stop();
      await api[Symbol.asyncDispose]();
    },
  };
}

/** Reads the runs of controllers one after the other. */
export function followRuns({ runs }: Controllers): TestPlane["run"] {
  const ended: Run[] = [];
  let ring = (): void => {};
  runs.follow((run) => {
    ended.push(run);
    ring();
  });
  return async (matches = () => true) => {
    for (;;) {
      while (ended.length > 0) {
        const run = ended.shift();
        if (run !== undefined && matches(run)) return run;
      }
      await new Promise<void>((resolve) => (ring = resolve));
    }
  };
}

/** Promise that the test resolves. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

export function condition(object: KubeObject | undefined, type: string) {
  const { conditions = [] } = (object?.status ?? {}) as {
    conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
      readonly observedGeneration?: number;
    }[];
  };
  return conditions.find((each) => each.type === type);
}
