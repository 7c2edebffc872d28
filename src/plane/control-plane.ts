import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Client } from "../client/client.js";
import { createClient } from "../client/create-client.js";
import { systemClock, systemRandom, type Clock, type Random } from "../model/core.js";
import type { Resource } from "../model/schema/resource-types.js";
import type { Controller } from "../runtime/controller/controller.js";
import { silent, type Log } from "../runtime/log/log.js";
import type { Schedule } from "../runtime/schedule/schedule.js";
import {
  startControllers,
  type Controllers,
  type ControllersOptions,
} from "../runtime/start/start-controllers.js";
import {
  startApi,
  startServer,
  type Api,
  type Extension,
  type Server,
  type ServerOptions,
} from "../server/index.js";
import { MemoryStore, openSqliteStore, type Store } from "../store/index.js";
import { applyManifests, type Applied } from "./apply-manifests.js";
import { Endings } from "./endings.js";
import { kindsOf } from "./definitions/kinds-of.js";
import { registerDefinitions } from "./definitions/register-definitions.js";
import { registerLater } from "./definitions/register-later.js";
import { inProcess } from "./in-process.js";
import { controllerHealth } from "./controller-health.js";
import { management } from "./management/management.js";

/** Where and how the API is served. */
export interface ListenOptions extends Pick<
  ServerOptions,
  "host" | "port" | "tls" | "hosts" | "origins" | "tokenFile" | "kubeconfig" | "limits"
> {}

export interface ControlPlaneOptions extends Pick<
  ControllersOptions,
  "metrics" | "traces" | "detectors" | "observer" | "breakers" | "runs" | "grace"
> {
  readonly controllers?: readonly Controller[] | undefined;
  readonly schedules?: readonly Schedule[] | undefined;
  /** Kinds that are served although no controller here is for them or owns them. */
  readonly kinds?: readonly Resource[] | undefined;
  /** Registers definitions also where stored objects would no longer be valid, or somebody else made the definition. */
  readonly forceDefinitions?: boolean | undefined;
  /** The folder for everything that is kept: objects, tokens, certificates. Default `.fettle`. */
  readonly data?: string | undefined;
  /** Where objects are kept: a store of one's own, which stays open, or `"memory"` to forget them. Default: on disk in `data`. */
  readonly store?: Store | "memory" | undefined;
  /** Default: 127.0.0.1, port 7700. `false` for nobody but this process. */
  readonly listen?: ListenOptions | false | undefined;
  /** More that is served beside the API. */
  readonly extensions?: readonly Extension[] | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Where log lines go, such as what `createLog()` makes; nowhere unless told. */
  readonly log?: Log | undefined;
  /** For `/version`. */
  readonly version?: string | undefined;
}

/** A control plane at work. */
export interface ControlPlane extends AsyncDisposable {
  /** Where the API is served; undefined when it is not. */
  readonly url: string | undefined;
  /** The path of a kubeconfig for the administrator; undefined when nothing is served. */
  readonly kubeconfig: string | undefined;
  readonly client: Client;
  readonly controllers: Controllers;
  readonly api: Api;
  /** Applies manifests: objects, or YAML or JSON text with any number of them. */
  apply(...manifests: readonly (string | object)[]): Promise<readonly Applied[]>;
  /** Ends everything, in order: runs come to their end, requests are answered, what was acknowledged is on disk. */
  stop(): Promise<void>;
}

const defaultPort = 7700;
const defaultData = ".fettle";

/**
 * Puts it all together in one process: a durable store, the API server, and controllers at work on it.
 *
 * @example
 * const plane = await controlPlane({ controllers: [sites] });
 * await plane.apply({ apiVersion: "demo.dev/v1", kind: "Site", metadata: { name: "hello" }, spec: { title: "Hello" } });
 * console.log(plane.url); // and kubectl --kubeconfig .fettle/kubeconfig get sites
 */
export async function controlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { controllers = [], listen = {}, clock = systemClock, random = systemRandom, log = silent } = options;
  const endings = new Endings();
  try {
    const data = resolve(options.data ?? defaultData);
    const store = await openStore(options.store, data, clock, endings);
    const onError = (error: unknown, doing: string): void => log.warn({ err: error }, doing);
    // The server is told of the controllers, and the controllers of the server's API.
    const late: { controllers?: Controllers; client?: Client } = {};
    const shared = { store, clock, random, onError };
    let server: Server | undefined;
    let api: Api;
    if (listen === false) {
      const started = await startApi(shared);
      endings.add(() => started.close());
      api = started;
    } else {
      await mkdir(data, { recursive: true });
      const started = await startServer({
        port: defaultPort,
        ...listen,
        ...shared,
        data,
        version: options.version,
        metrics: [() => late.controllers?.metrics?.families() ?? []],
        healthChecks: controllerHealth(() => late.controllers),
        extensions: [management({ parts: () => late, store, clock }), ...(options.extensions ?? [])],
      });
      endings.add(() => started.close());
      server = started;
      api = started.api;
    }
    const client = createClient({ transport: inProcess(api, { clock }), clock, random });
    await registerDefinitions(client, kindsOf(controllers, options.kinds), {
      log,
      clock,
      force: options.forceDefinitions,
      whenGone: registerLater(endings, log),
    });
    const running = startControllers({ ...options, controllers, client, clock, random, log });
    endings.add(() => running.stop());
    late.client = client;
    late.controllers = running;
    await running.ready();
    const plane: ControlPlane = {
      url: server?.url,
      kubeconfig: server?.kubeconfig,
      client,
      controllers: running,
      api,
      apply: (...manifests) => applyManifests(client, manifests),
      stop: () => endings.end(),
      [Symbol.asyncDispose]: () => plane.stop(),
    };
    return plane;
  } catch (error) {
    await endings.end().catch(() => {});
    throw error;
  }
}

async function openStore(
  store: ControlPlaneOptions["store"],
  data: string,
  clock: Clock,
  endings: Endings,
): Promise<Store> {
  if (typeof store === "object") return store;
  if (store === "memory") {
    const memory = new MemoryStore({ clock });
    endings.add(() => memory.close());
    return memory;
  }
  await mkdir(data, { recursive: true });
  const sqlite = await openSqliteStore(join(data, "store"));
  endings.add(() => sqlite.close());
  return sqlite;
}
