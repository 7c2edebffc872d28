import {
  ApiextensionsV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  loadYaml,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  Watch,
  type KubernetesObject,
  type V1ConfigMap,
} from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { Happenings } from "../happenings.js";
import { ServerProcess } from "../server-process.js";
import { widget, widgetDefinition } from "../widgets.js";

/** Number of restarts of the server. */
const kills = Number(process.env["FETTLE_RESTARTS"] ?? 5);
const endings = [
  { signal: "SIGKILL", rounds: kills },
  { signal: "SIGTERM", rounds: Math.ceil(kills / 2) },
] as const;
const writers = 4;
const changesPerRound = 40;
const namespace = "default";
const path = `/api/v1/namespaces/${namespace}/configmaps`;

/** Write to an object, with the number that it stores there. */
interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly name: string;
  readonly number: number;
}

interface Acknowledged extends Change {
  /** resourceVersion of the response; deletions have none. */
  readonly version: string | undefined;
}

function textOf({ type, name, number }: Change): string {
  return `${type} ${name} ${number}`;
}

/** Client that creates, updates and deletes objects until it is stopped, and records the result of every write. */
class Writer {
  readonly acknowledged: Acknowledged[] = [];
  /** Writes without a response, which may or may not have been executed. */
  readonly open: Change[] = [];
  readonly #core: CoreV1Api;
  readonly #reported: () => void;
  #object = 0;
  #stopped = false;

  constructor(core: CoreV1Api, reported: () => void) {
    this.#core = core;
    this.#reported = reported;
  }

  stop(): void {
    this.#stopped = true;
  }

  async run(prefix: string, server: ServerProcess): Promise<void> {
    while (!this.#stopped) {
      await server.up;
      const name = `${prefix}-${this.#object++}`;
      // An object with an unknown state is not written again.
      await this.#live(name).catch((error: unknown) => {
        if (isAnswered(error)) throw error;
      });
    }
  }

  async #live(name: string): Promise<void> {
    const body = (number: number): V1ConfigMap => ({ metadata: { name }, data: { number: String(number) } });
    const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
    await this.#change({ type: "ADDED", name, number: 0 }, () =>
      this.#core.createNamespacedConfigMap({ namespace, body: body(0) }),
    );
    for (let number = 1; number < 4; number++) {
      await this.#change({ type: "MODIFIED", name, number }, () =>
        this.#core.patchNamespacedConfigMap({ name, namespace, body: body(number) }, merge),
      );
    }
    // Every third object stays, so that some exist at the end.
    if (this.#object % 3 === 0) return;
    await this.#change({ type: "DELETED", name, number: 3 }, async () => {
      await this.#core.deleteNamespacedConfigMap({ name, namespace });
      return undefined;
    });
  }

  async #change(change: Change, make: () => Promise<V1ConfigMap | undefined>): Promise<void> {
    try {
      const object = await make();
      this.acknowledged.push({ ...change, version: object?.metadata?.resourceVersion });
      this.#reported();
    } catch (error) {
      if (!isAnswered(error)) this.open.push(change);
      throw error;
    }
  }
}

/** True if the server responded with an error; false if there was no response. */
function isAnswered(error: unknown): boolean {
  return typeof (error as { code?: unknown }).code === "number";
}

interface Seen extends Change {
  readonly version: string;
}

/** Watches through all restarts, each time from the last version. */
async function follow(
  config: KubeConfig,
  server: ServerProcess,
  from: string,
  seen: Happenings<Seen>,
  signal: AbortSignal,
): Promise<number> {
  let version = from;
  let connections = 0;
  let stop = (): void => {};
  while (!signal.aborted) {
    await server.up;
    await new Promise<void>((resolve, reject) => {
      const request = new Watch(config).watch(
        path,
        { resourceVersion: version },
        (phase, object: V1ConfigMap) => {
          const type = phase as Change["type"];
          if (object.metadata?.resourceVersion === undefined) {
            reject(new Error(`${phase} ${JSON.stringify(object)}`));
            return;
          }
          version = object.metadata.resourceVersion;
          const number = Number(object.data?.["number"]);
          seen.add({ type, name: object.metadata.name ?? "", number, version });
        },
        (error: { statusCode?: number } | null) => {
          if (error?.statusCode === undefined) resolve();
          else reject(error);
        },
      );
      stop = () => void request.then((controller) => controller.abort());
      signal.addEventListener("abort", stop, { once: true });
    });
    signal.removeEventListener("abort", stop);
    connections++;
  }
  return connections;
}

describe.each(endings)(
  "a server that is ended by $signal and restarted $rounds times",
  ({ signal, rounds }) => {
    test(
      "resumed watches lose no change and repeat none",
      async () => {
        await using server = new ServerProcess();
        await server.up;
        const config = new KubeConfig();
        config.loadFromFile(server.kubeconfig);
        const core = config.makeApiClient(CoreV1Api);
        const list = () => core.listNamespacedConfigMap({ namespace });

        const informer = makeInformer(config, path, list);
        const informed = new Happenings<string>();
        for (const verb of ["add", "update", "delete"] as const) {
          informer.on(verb, ({ metadata, data }) =>
            informed.add(`${verb} ${metadata?.name} ${data?.["number"]}`),
          );
        }
        // It stops when it cannot connect, and resumes when it is started again.
        informer.on("error", () => void server.up.then(() => informer.start()));
        await informer.start();

        const seen = new Happenings<Seen>();
        const over = new AbortController();
        const { metadata } = await list();
        const following = follow(config, server, metadata?.resourceVersion ?? "", seen, over.signal);
        following.catch((error: unknown) => seen.fail(error));

        const acknowledged = new Happenings<undefined>();
        const all = Array.from(
          { length: writers },
          () => new Writer(core, () => acknowledged.add(undefined)),
        );
        const writing = Promise.all(all.map((writer, index) => writer.run(`w${index}`, server)));
        writing.catch((error: unknown) => acknowledged.fail(error));

        for (let round = 1; round <= rounds; round++) {
          await acknowledged.until(({ length }) => length >= round * changesPerRound);
          const exit = await server.stop(signal);
          expect(exit).toEqual({
            stderr: "",
            ...(signal === "SIGKILL" ? { code: null, signal } : { code: 0, signal: null }),
          });
          await server.start();
        }
        await acknowledged.until(({ length }) => length >= (rounds + 1) * changesPerRound);
        for (const writer of all) writer.stop();
        await writing;
        await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "end" } } });
        await seen.until((events) => events.at(-1)?.name === "end");
        await informed.until((events) => events.at(-1)?.startsWith("add end") === true);
        over.abort();
        expect(await following).toBeGreaterThan(rounds);

        const events = seen.all.filter(({ name }) => /^w\d/.test(name));
        examine(events, all);
        const expected = finalState(events);
        const found = (items: readonly KubernetesObject[]): string[] => {
          const texts = (items as V1ConfigMap[]).map(
            ({ metadata, data }) => `${metadata?.name} ${data?.["number"]}`,
          );
          return texts.filter((text) => /^w\d/.test(text)).sort();
        };
        expect(found((await list()).items)).toEqual(expected);
        expect(found(informer.list(namespace))).toEqual(expected);
        const reported = informed.all.filter((text) => / w\d/.test(text));
        expect(reported.length).toBe(new Set(reported).size);
        await informer.stop();
      },
      60_000 + rounds * 10_000,
    );
  },
);

test("serves custom kinds right after a restart, with the same credentials", async () => {
  await using server = new ServerProcess();
  await server.up;
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  const definitions = config.makeApiClient(ApiextensionsV1Api);
  const generic = KubernetesObjectApi.makeApiClient(config);
  await definitions.createCustomResourceDefinition({ body: loadYaml(widgetDefinition) });
  const made = await generic.create(loadYaml<KubernetesObject>(widget("kept", "red")));
  await server.stop("SIGKILL");
  await server.start();
  // The earlier client, which has not noticed the restart.
  const header = {
    apiVersion: "demo.dev/v1",
    kind: "Widget",
    metadata: { name: "kept", namespace: "default" },
  };
  const { metadata } = await generic.read(header);
  expect(metadata?.resourceVersion).toBe(made.metadata?.resourceVersion);
});

/**
 * Checks that every acknowledged write was seen once, in order and with the version of its response, and nothing else.
 */
function examine(events: readonly Seen[], all: readonly Writer[]): void {
  const versions = events.map(({ version }) => Number(version));
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  const texts = events.map(textOf);
  expect(texts.length).toBe(new Set(texts).size);

  const byText = new Map(events.map((event, index) => [textOf(event), { ...event, index }]));
  const possible = new Set<string>();
  for (const { acknowledged, open } of all) {
    let last = -1;
    for (const change of acknowledged) {
      possible.add(textOf(change));
      const event = byText.get(textOf(change));
      expect(event, `${textOf(change)} was acknowledged and not seen`).toBeDefined();
      if (change.version !== undefined) expect(event?.version).toBe(change.version);
      expect(event?.index).toBeGreaterThan(last);
      last = event?.index ?? last;
    }
    for (const change of open) possible.add(textOf(change));
  }
  expect(texts.filter((text) => !possible.has(text))).toEqual([]);
}

/** Objects that exist after all events. */
function finalState(events: readonly Seen[]): string[] {
  const objects = new Map<string, number>();
  for (const { type, name, number } of events) {
    if (type === "DELETED") objects.delete(name);
    else objects.set(name, number);
  }
  return Array.from(objects, ([name, number]) => `${name} ${number}`).sort();
}
