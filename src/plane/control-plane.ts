import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Client } from "../client/client.js";
import { createClient } from "../client/create-client.js";
import type { State } from "../events/state/state.js";
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
  type MetricSource,
  type ServerOptions,
  type User,
} from "../server/index.js";
import { MemoryStore, openSqliteStore, type Store } from "../store/index.js";
import { checkPrivacy, ensureFolder } from "../store/sqlite/folder.js";
import type { RunningEvents } from "../events/create-events.js";
import type { Events } from "../events/events.js";
import { answerHealthChecks, bothHandled, emittingMonitoring } from "./events/emit-monitoring.js";
import { eventFeed } from "./events/event-feed.js";
import { StoreEventLog } from "./events/store-event-log.js";
import { defaultMaxEventSize, startEvents, withOperatorKinds } from "./events/start-events.js";
import { DebugSwitches } from "../runtime/log/debug-switches.js";
import { observers } from "../runtime/observe/observer.js";
import { logDiffs } from "./debug/log-diffs.js";
import { logOperations, logStateOperations } from "./debug/log-operations.js";
import { traceEvents, traceHandlers } from "./debug/trace-events.js";
import { createRoutes, type RoutesOptions } from "./routes/routes.js";
import { applyManifests, type Applied } from "./apply-manifests.js";
import { inProcess } from "./in-process.js";
import { startMonitoring, type Monitoring } from "./monitoring/start-monitoring.js";
import { timeCommits } from "./monitoring/store-check.js";
import { management } from "./management/management.js";
import type { UserAccess } from "./management/access.js";
import type { PeersOptions } from "./peers/peer-options.js";
import type { Peers } from "./peers/start-peers.js";
import { byteSize } from "./runs/limits.js";
import { startParts, type OnStop, type Stoppable } from "./start-parts.js";
import { planeState } from "./state/plane-state.js";
import { addExtensions } from "./operators/add-extensions.js";
import { prepareWork, startWork, type WorkOptions } from "./start-work.js";

/** Address of the API, and access to it. */
export interface ListenOptions extends Pick<
  ServerOptions,
  "host" | "port" | "tls" | "hosts" | "origins" | "tokenFile" | "kubeconfig" | "limits"
> {}

export interface ControlPlaneOptions
  extends WorkOptions, RoutesOptions, Pick<ServerOptions, "authorize" | "admission" | "audit" | "services"> {
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
  /** Other planes and Kubernetes clusters whose objects are pulled and kept in sync. */
  readonly peers?: PeersOptions | undefined;
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
  /** Health and performance of this process. */
  readonly monitoring: Monitoring;
  readonly events: Events;
  /** Synchronisation with peers; undefined without `peers`. */
  readonly peers: Pick<Peers, "states"> | undefined;
  readonly api: Api;
  /** Small values by key, for what is no object. */
  readonly state: State;
  /** Triggers a run of an object, by its name or uid. */
  enqueue(...request: Parameters<Controllers["enqueue"]>): void;
  /** Applies manifests: objects, or YAML or JSON text with any number of them. */
  apply(...manifests: readonly (string | object)[]): Promise<readonly Applied[]>;
  /** Waits for runs and requests to end, then closes the store. */
  stop(): Promise<void>;
}

const defaultPort = 7700;
const defaultData = ".fettle";

/** Parts that the server reports on but that are started after it. */
interface StartedParts {
  server?: Api;
  controllers?: Controllers;
  monitoring?: Monitoring;
  api?: UserAccess;
  events?: RunningEvents;
  peers?: Peers | undefined;
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
    // Before the store is opened, so that a mistake changes nothing.
    if (options.peers !== undefined) {
      const { peersSettings } = await import("./peers/peer-options.js");
      peersSettings(options.peers);
    }
    const data = await dataFolder(options, onStop);
    const defaultFolder = options.store === undefined ? join(data, "runs") : undefined;
    const switches = debugSwitches(options);
    const timed = timeCommits(await openStore(options.store, data, clock, onStop), clock);
    const store = logOperations(timed.store, switches, log);
    const state = planeState(options.state, {
      store,
      clock,
      log,
      wrap: (backend) => logStateOperations(backend, switches, log),
    });
    onStop(async () => state[Symbol.asyncDispose]());
    const warning = existsSync(data) ? checkPrivacy(data) : undefined;
    if (warning !== undefined) log.warn({}, warning);
    const started: StartedParts = {};
    const metrics = [
      () => started.controllers?.metrics?.families() ?? [],
      () => started.monitoring?.families() ?? [],
      () => started.peers?.families() ?? [],
    ];
    const extensions = [management({ parts: () => started, store, clock })];
    const routes = createRoutes({
      options,
      parts: () => ({ ...started, api: started.server, users: started.api }),
      store,
      switches,
      metrics,
      maxEventSize: byteSize(options.events?.maxSize ?? defaultMaxEventSize),
      clock,
      log,
    });
    addExtensions(extensions, routes.extensions);
    addExtensions(extensions, options.extensions ?? []);
    const { api, url, kubeconfig } = await serve(
      { ...options, data, extensions, clock, random, log },
      store,
      metrics,
      started,
      onStop,
    );
    const clientAs = (user?: User): Client =>
      createClient({ transport: inProcess(api, { user, clock }), clock, random });
    started.api = { clientAs, checkAccess: (attributes) => api.pipeline.checkAccess(attributes) };
    started.server = api;
    const client = clientAs();
    const clientFor = (user: string): Client => clientAs(serviceIdentity(user));
    const events = startEvents({
      options: withOperatorKinds(options),
      log: (settings) => new StoreEventLog(store, { ...settings, clock }),
      clock,
      random,
      logger: log,
      onHandled: bothHandled(traceHandlers(switches, log), (milliseconds) =>
        started.monitoring?.performance?.observe("event_processing_time", milliseconds),
      ),
    });
    onStop(() => events.stop());
    onStop(traceEvents(events.log, { switches, clock, log }));
    started.events = events;
    const feed = eventFeed(events, { clock, log });
    onStop(() => feed.stop());
    const prepared = await prepareWork(
      {
        ...options,
        client,
        clientFor,
        events,
        checkAccess: (attributes) => api.pipeline.checkAccess(attributes),
        addRoutes: (name, added) => routes.add(name, added),
        state,
        // What an operator keeps about objects is of no use when these are gone.
        data: options.store === "memory" ? undefined : data,
        register: true,
        clock,
        log,
      },
      onStop,
    );
    addExtensions(extensions, prepared.extensions);
    routes.check();
    const running = await startWork(
      {
        ...options,
        ...prepared,
        client,
        clientFor,
        events,
        feed,
        state,
        observer: observers([logDiffs(switches, log), options.observer ?? {}]),
        runs: { ...options.runs, folder: options.runs?.folder ?? defaultFolder },
        clock,
        random,
        log,
      },
      onStop,
    );
    started.controllers = running;
    await running.ready();
    // After the controllers, so that their kinds are registered and the work on pulled objects can begin.
    const peers =
      options.peers === undefined
        ? undefined
        : await (
            await import("./peers/start-peers.js")
          ).startPeers({
            options: options.peers,
            client: clientFor("system:fettle:peers"),
            events,
            clock,
            random,
            log,
          });
    if (peers !== undefined) {
      onStop(() => peers.stop());
      running.health.check("peers", () => peers.health(), { critical: false });
    }
    started.peers = peers;
    const folder = options.store === undefined ? data : undefined;
    const monitoring = startMonitoring({
      ...options,
      monitoring: emittingMonitoring(events, options.monitoring),
      controllers: running,
      store: timed,
      folder,
      clock,
      log,
    });
    onStop(async () => monitoring.stop());
    started.monitoring = monitoring;
    monitoring.performance?.addQueue("events", () => events.queueSize);
    answerHealthChecks(events, feed, monitoring);
    return {
      url,
      kubeconfig,
      client,
      controllers: running,
      monitoring,
      events,
      peers,
      enqueue: (...request) => running.enqueue(...request),
      api,
      state,
      apply: (...manifests) => applyManifests(client, manifests),
    };
  });
}

function debugSwitches({ debug: { enabled = true, components } = {} }: ControlPlaneOptions): DebugSwitches {
  return new DebugSwitches(enabled ? components : {});
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
  metrics: readonly MetricSource[],
  started: StartedParts,
  onStop: OnStop,
): Promise<Pick<ControlPlane, "api" | "url" | "kubeconfig">> {
  const onError = (error: unknown, doing: string): void => {
    log.warn({ err: error }, doing);
    started.events?.reportError("server", error);
  };
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
    metrics,
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
