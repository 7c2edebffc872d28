import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Client } from "../client/client.js";
import { createClient } from "../client/create-client.js";
import { systemClock, systemRandom, type Clock } from "../model/core.js";
import { silent } from "../runtime/log/log.js";
import type { Controllers } from "../runtime/start/start-controllers.js";
import {
  serviceIdentity,
  startApi,
  startServer,
  type Api,
  type Extension,
  type HealthCheck,
  type ServerOptions,
  type User,
} from "../server/index.js";
import { MemoryStore, openSqliteStore, type Store } from "../store/index.js";
import { checkPrivacy, ensureFolder } from "../store/sqlite/folder.js";
import { applyManifests, type Applied } from "./apply-manifests.js";
import { inProcess } from "./in-process.js";
import { management } from "./management/management.js";
import type { UserAccess } from "./management/access.js";
import { byteSize } from "./runs/limits.js";
import { startParts, type OnStop, type Stoppable } from "./start-parts.js";
import { addExtensions } from "./operators/add-extensions.js";
import { prepareWork, startWork, type WorkOptions } from "./start-work.js";

/** Address of the API, and access to it. */
export interface ListenOptions extends Pick<
  ServerOptions,
  "host" | "port" | "tls" | "hosts" | "origins" | "tokenFile" | "kubeconfig" | "limits"
> {}

export interface ControlPlaneOptions
  extends WorkOptions, Pick<ServerOptions, "authorize" | "admission" | "audit" | "services"> {
  /**
   * Folder for objects, runs, tokens and certificates. Default: `.fettle`; with `store: "memory"`, a temporary folder that is removed
   * when the control plane stops.
   */
  readonly data?: string | undefined;
  /** `"memory"`, or a store that stays open when the control plane stops. Default: SQLite in the `data` folder. */
  readonly store?: Store | "memory" | undefined;
  /** Default: 127.0.0.1, port 7700. `false` serves the API to this process only. */
  readonly listen?: ListenOptions | false | undefined;
  readonly objects?:
    | {
        /** Largest object as it is stored, with its managedFields: bytes, or text such as `1536Ki`. Default: 1.5 MiB. */
        readonly maxSize?: number | string | undefined;
      }
    | undefined;
  /** Further paths served beside the API. */
  readonly extensions?: readonly Extension[] | undefined;
  /** Version of the program, for `/version`. */
  readonly version?: string | undefined;
}

/** A running control plane. */
export interface ControlPlane extends Stoppable {
  /** URL of the API; undefined with `listen: false`. */
  readonly url: string | undefined;
  /** Path of a kubeconfig for the administrator; undefined with `listen: false`. */
  readonly kubeconfig: string | undefined;
  readonly client: Client;
  readonly controllers: Controllers;
  readonly api: Api;
  /** Applies manifests: objects, or YAML or JSON text with any number of them. */
  apply(...manifests: readonly (string | object)[]): Promise<readonly Applied[]>;
  /** Waits for runs and requests to end, then closes the store. */
  stop(): Promise<void>;
}

const defaultPort = 7700;
const defaultData = ".fettle";

/** Parts that the server reports on but that are started after it. */
interface StartedParts {
  controllers?: Controllers;
  api?: UserAccess;
}

/**
 * Starts a control plane in this process: a durable store, the API server, and controllers.
 *
 * @example
 * const plane = await controlPlane({ controllers: [sites] });
 * await plane.apply({ apiVersion: "demo.dev/v1", kind: "Site", metadata: { name: "hello" }, spec: { title: "Hello" } });
 * console.log(plane.url); // and kubectl --kubeconfig .fettle/kubeconfig get sites
 */
export function controlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { clock = systemClock, random = systemRandom, log = silent } = options;
  return startParts(async (onStop) => {
    const data = await dataFolder(options, onStop);
    const defaultFolder = options.store === undefined ? join(data, "runs") : undefined;
    const store = await openStore(options.store, data, clock, onStop);
    const warning = existsSync(data) ? checkPrivacy(data) : undefined;
    if (warning !== undefined) log.warn({}, warning);
    const started: StartedParts = {};
    const extensions = [management({ parts: () => started, store, clock })];
    addExtensions(extensions, options.extensions ?? []);
    const { api, url, kubeconfig } = await serve(
      { ...options, data, extensions, clock, random, log },
      store,
      started,
      onStop,
    );
    const clientAs = (user?: User): Client =>
      createClient({ transport: inProcess(api, { user, clock }), clock, random });
    started.api = { clientAs, checkAccess: (attributes) => api.pipeline.checkAccess(attributes) };
    const client = clientAs();
    const clientFor = (user: string): Client => clientAs(serviceIdentity(user));
    const prepared = await prepareWork(
      {
        ...options,
        client,
        clientFor,
        checkAccess: (attributes) => api.pipeline.checkAccess(attributes),
        // What an operator keeps about objects is of no use when these are gone.
        data: options.store === "memory" ? undefined : data,
        register: true,
        clock,
        log,
      },
      onStop,
    );
    addExtensions(extensions, prepared.extensions);
    const running = await startWork(
      {
        ...options,
        ...prepared,
        client,
        clientFor,
        runs: { ...options.runs, folder: options.runs?.folder ?? defaultFolder },
        clock,
        random,
        log,
      },
      onStop,
    );
    started.controllers = running;
    await running.ready();
    return {
      url,
      kubeconfig,
      client,
      controllers: running,
      api,
      apply: (...manifests) => applyManifests(client, manifests),
    };
  });
}

/** Data folder. An in-memory control plane leaves the folder of another one alone: that may run, or hold data. */
async function dataFolder({ data, store, listen }: ControlPlaneOptions, onStop: OnStop): Promise<string> {
  if (store !== "memory" || listen === false) return resolve(data ?? defaultData);
  if (data === undefined) {
    const folder = await mkdtemp(join(tmpdir(), "fettle-"));
    onStop(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }
  if (!existsSync(join(data, "store"))) return resolve(data);
  throw new Error(
    `${data} has the data of a control plane, whose kubeconfig an in-memory control plane would replace; choose another data folder, or none`,
  );
}

async function openStore(
  store: ControlPlaneOptions["store"],
  data: string,
  clock: Clock,
  onStop: OnStop,
): Promise<Store> {
  if (typeof store === "object") return store;
  if (store === undefined) ensureFolder(data);
  const opened = store === "memory" ? new MemoryStore({ clock }) : await openSqliteStore(join(data, "store"));
  onStop(() => opened.close());
  return opened;
}

type ServeOptions = ControlPlaneOptions &
  Required<Pick<ControlPlaneOptions, "data" | "extensions" | "clock" | "random" | "log">>;

async function serve(
  { listen = {}, data, clock, random, log, ...options }: ServeOptions,
  store: Store,
  started: StartedParts,
  onStop: OnStop,
): Promise<Pick<ControlPlane, "api" | "url" | "kubeconfig">> {
  const onError = (error: unknown, doing: string): void => log.warn({ err: error }, doing);
  const { authorize, admission, audit, services, objects: { maxSize } = {} } = options;
  const maxObjectBytes = maxSize === undefined ? undefined : byteSize(maxSize);
  const shared = { store, clock, random, onError, authorize, admission, audit, services, maxObjectBytes };
  if (listen === false) {
    const api = await startApi(shared);
    onStop(() => api.close());
    return { api, url: undefined, kubeconfig: undefined };
  }
  ensureFolder(data);
  const server = await startServer({
    port: defaultPort,
    ...listen,
    ...shared,
    data,
    onWarning: (text) => log.warn({}, text),
    version: options.version,
    metrics: [() => started.controllers?.metrics?.families() ?? []],
    healthChecks: controllerHealth(started),
    extensions: options.extensions,
  });
  onStop(() => server.close());
  return server;
}

/** Health of the controllers as checks of the server. */
function controllerHealth(started: StartedParts): readonly HealthCheck[] {
  const check = (probe: "liveness" | "readiness") => async () => {
    const report = await started.controllers?.health.report(probe);
    if (report === undefined || report.status !== "unhealthy") return;
    const failed = report.checks.filter(({ ok }) => !ok).map(({ name, message }) => `${name}: ${message}`);
    throw new Error(failed.join("; "));
  };
  return [
    { name: "controllers-alive", paths: ["livez", "healthz"], check: check("liveness") },
    { name: "controllers-ready", paths: ["readyz"], check: check("readiness") },
  ];
}
