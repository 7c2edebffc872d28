import { createClient } from "../../src/client/create-client.js";
import type { Client } from "../../src/client/client.js";
import type { AnyKind, ObjectFor } from "../../src/client/kinds/kind.js";
import { customResourceDefinition } from "../../src/model/index.js";
import type { KubeObject, Resource } from "../../src/model/index.js";
import { inProcess } from "../../src/plane/in-process.js";
import type { Run } from "../../src/runtime/runs/run.js";
import {
  startControllers,
  type Controllers,
  type ControllersOptions,
} from "../../src/runtime/start-controllers.js";
import { startApi, type Api } from "../../src/server/index.js";
import { MemoryStore } from "../../src/store/index.js";

export interface TestApi extends AsyncDisposable {
  readonly client: Client;
  readonly api: Api;
  /** How many changes there have been. */
  readonly revision: () => Promise<number>;
  /** An object once it is as it should be; undefined stands for one that is not there. */
  readonly until: <K extends AnyKind>(
    kind: K,
    name: string,
    holds: (object: ObjectFor<K> | undefined) => boolean,
  ) => Promise<ObjectFor<K> | undefined>;
}

export interface TestPlane extends TestApi {
  readonly controllers: Controllers;
  /** The next run that matches: one after the last that this returned, whether it has ended already or not. */
  readonly run: (matches?: (run: Run) => boolean) => Promise<Run>;
}

/** An API in memory. */
export async function startTestApi(
  kinds: readonly Resource[],
  { clock, random }: Pick<ControllersOptions, "clock" | "random"> = {},
): Promise<TestApi> {
  const store = new MemoryStore();
  const api = await startApi({ store, ...(clock && { clock }), ...(random && { random }) });
  const client = createClient({ transport: inProcess(api) });
  for (const kind of kinds) await client.create(customResourceDefinition(kind) as never);
  return {
    client,
    api,
    revision: async () => Number((await client.list("v1/Namespace")).resourceVersion),
    until: (kind, name, holds) => until(client, kind, name, holds),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await api.close();
      await store.close();
    },
  };
}

/** An API in memory with controllers at work on it. */
export async function startTestPlane(
  kinds: readonly Resource[],
  options: Omit<ControllersOptions, "client">,
): Promise<TestPlane> {
  const api = await startTestApi(kinds, options);
  const controllers = startControllers({ ...options, client: api.client });
  const run = followRuns(controllers);
  await controllers.ready();
  return {
    ...api,
    controllers,
    run,
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

async function until<K extends AnyKind>(
  client: Client,
  kind: K,
  name: string,
  holds: (object: ObjectFor<K> | undefined) => boolean,
): Promise<ObjectFor<K> | undefined> {
  const { items, resourceVersion } = await client.list(kind, { fieldSelector: `metadata.name=${name}` });
  const [first] = items;
  if (holds(first)) return first;
  const watching = { resourceVersion, fieldSelector: `metadata.name=${name}` };
  for await (const { type, object } of client.watch(kind, watching)) {
    if (type === "BOOKMARK") continue;
    const now = type === "DELETED" ? undefined : object;
    if (holds(now)) return now;
  }
  throw new Error("the watch ended before it came to be");
}

/** A function whose end the test decides. */
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
