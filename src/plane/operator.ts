import { resolve } from "node:path";
import type { Client } from "../client/client.js";
import { createClient } from "../client/create-client.js";
import { loadConnection } from "../client/kubeconfig/load-connection.js";
import type { AnyKind } from "../client/kinds/kind.js";
import type { Connection } from "../client/transport/connection.js";
import { httpTransport } from "../client/transport/http/http-transport.js";
import type { State } from "../events/state/state.js";
import { systemClock, systemRandom } from "../model/core.js";
import type { Controller } from "../runtime/controller/controller.js";
import type { Resource } from "../model/resource/resource-types.js";
import { objectWatches } from "../runtime/controller/event-watch.js";
import { silent } from "../runtime/log/log.js";
import { controllerMetrics } from "../runtime/observe/metrics.js";
import type { Election, Shards } from "../runtime/start/ownership.js";
import type { Controllers } from "../runtime/start/start-controllers.js";
import { startMonitoring, type Monitoring } from "./monitoring/start-monitoring.js";
import type { Events } from "../events/events.js";
import { answerHealthChecks, emittingMonitoring } from "./events/emit-monitoring.js";
import { eventFeed } from "./events/event-feed.js";
import { ClientEventLog } from "../events/log/client-event-log.js";
import { startEvents, withOperatorKinds } from "./events/start-events.js";
import { startHealthServer } from "./health-server.js";
import { planeState } from "./state/plane-state.js";
import { startParts, type Stoppable } from "./start-parts.js";
import { prepareWork, startWork, type WorkOptions } from "./start-work.js";

export interface OperatorOptions extends WorkOptions {
  /** Folder in which operators keep their files, each in one of its own. Default: `.fettle`. */
  readonly data?: string | undefined;
  /** API server. Default: the one that `kubeconfig` and `context` name, or that kubectl would use. */
  readonly connection?: Connection | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Limits the controllers to the objects of one namespace. Default: all namespaces. */
  readonly namespace?: string | undefined;
  /**
   * Lets one of the processes that use the same Lease work at a time. Default: on, with a Lease named after the
   * controllers in the namespace of the connection.
   */
  readonly leaderElection?: boolean | Partial<Election> | undefined;
  /**
   * Distributes the objects over all processes that use the same Lease, instead of leader election. Default: off. The
   * default name of the Lease is that of leader election with the suffix `-shards`.
   */
  readonly sharding?: boolean | Partial<Shards> | undefined;
  /** Address of `/livez`, `/readyz`, `/healthz`, `/health`, `/ready` and `/metrics`: 127.0.0.1, port 8081 by default. Default: not served. */
  readonly health?:
    | { readonly host?: string | undefined; readonly port?: number | undefined }
    | false
    | undefined;
  /** `"apply"` registers the definitions of kinds first. Default: `"apply"`. */
  readonly definitions?: "apply" | "skip" | undefined;
  /** User agent of this program, for the server's logs. */
  readonly userAgent?: string | undefined;
  /** Called with warnings of the server and about the kubeconfig. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Cancels the start. */
  readonly signal?: AbortSignal | undefined;
}

/** Controllers that work on an API server elsewhere. */
export interface Operator extends Stoppable {
  /** URL of the API server. */
  readonly server: string;
  readonly client: Client;
  readonly controllers: Controllers;
  /** Health and performance of this process. */
  readonly monitoring: Monitoring;
  /** Small values by key, for what is no object. */
  readonly state: State;
  readonly events: Events;
  /** Triggers a run of an object, by its name or uid. */
  enqueue(...request: Parameters<Controllers["enqueue"]>): void;
  /** URL of the health endpoints; undefined when they are not served. */
  readonly health: string | undefined;
  /** Lease for leader election or sharding, such as `default/sites.demo.dev`; undefined without either. */
  readonly lease: string | undefined;
  /** Waits for runs to end, then releases the lease or the shards. */
  stop(): Promise<void>;
}

const defaultHealthPort = 8081;

/**
 * Runs controllers against Kubernetes, or another Fettle: registers their kinds and starts them. Resolves when they take part
 * in the leader election; `controllers.ready()` resolves when this process leads.
 *
 * @example
 * const running = await operator({ controllers: [sites], health: { port: 8081 } });
 * process.once("SIGTERM", () => void running.stop());
 */
export function operator(options: OperatorOptions): Promise<Operator> {
  const { clock = systemClock, random = systemRandom, log = silent, namespace, onWarning } = options;
  const { kubeconfig, context, definitions = "apply", health = false } = options;
  return startParts(async (onStop) => {
    const state = planeState(options.state, { store: undefined, clock, log });
    onStop(async () => state[Symbol.asyncDispose]());
    const connection =
      options.connection ?? (await loadConnection({ kubeconfig, context, namespace, onWarning }));
    const metrics = options.metrics === false ? undefined : (options.metrics ?? controllerMetrics());
    const transport = httpTransport({
      connection,
      clock,
      random,
      userAgent: options.userAgent ?? "fettle-operator",
      onRequest: metrics?.onRequest,
    });
    const client = createClient({
      transport,
      namespace: namespace ?? connection.namespace,
      clock,
      random,
      onWarning,
    });
    onStop(async () => client[Symbol.asyncDispose]());
    const controlled: Controller[] = [];
    let eventLog: ClientEventLog | undefined;
    let performance: Monitoring["performance"];
    const events = startEvents({
      options: withOperatorKinds(options),
      log(settings) {
        const kinds = (): readonly AnyKind[] => eventKinds(controlled, options.kinds);
        return (eventLog = new ClientEventLog({ ...settings, client, clock, random, logger: log, kinds }));
      },
      clock,
      random,
      logger: log,
      onHandled: (...call) => performance?.observe("event_processing_time", call[2]),
    });
    onStop(async () => eventLog?.close());
    onStop(() => events.stop());
    const feed = eventFeed(events, { clock, log });
    onStop(() => feed.stop());
    const prepared = await prepareWork(
      {
        ...options,
        client,
        clientFor: () => client,
        state,
        events,
        data: resolve(options.data ?? ".fettle"),
        register: definitions === "apply",
        clock,
        log,
      },
      onStop,
    );
    controlled.push(...prepared.controllers);
    const work = { ...options, controllers: prepared.controllers, schedules: prepared.schedules };
    const sharding = shardsOf(work, client.namespace);
    const leaderElection = sharding === undefined ? electionOf(work, client.namespace) : undefined;
    const controllers = await startWork(
      {
        ...work,
        controllers: work.controllers.map((each) => within(each, namespace)),
        healthChecks: prepared.healthChecks,
        subscriptions: prepared.subscriptions,
        handlers: prepared.handlers,
        events,
        feed,
        state,
        client,
        user: await authenticatedUser(client),
        metrics: metrics ?? false,
        leaderElection,
        sharding,
        clock,
        random,
        log,
      },
      onStop,
    );
    const { runs: { folder } = {} } = options;
    const monitoring = startMonitoring({
      ...options,
      monitoring: emittingMonitoring(events, options.monitoring),
      controllers,
      folder,
      clock,
      log,
    });
    onStop(async () => monitoring.stop());
    ({ performance } = monitoring);
    performance?.addQueue("events", () => events.queueSize);
    answerHealthChecks(events, feed, monitoring);
    let url: string | undefined;
    if (health !== false) {
      const { host = "127.0.0.1", port = defaultHealthPort } = health;
      const server = await startHealthServer({ controllers, monitoring, host, port });
      onStop(() => server.close());
      url = server.url;
    }
    const lease = sharding ?? leaderElection;
    return {
      server: connection.server,
      client,
      controllers,
      monitoring,
      state,
      events,
      enqueue: (...request) => controllers.enqueue(...request),
      health: url,
      lease: lease && `${lease.namespace}/${lease.name}`,
    };
  });
}

const selfSubjectReview = {
  apiVersion: "authentication.k8s.io/v1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  scope: "Cluster",
} as const;

/** User as which a client is authenticated; undefined when the API cannot say, since nothing else depends on it. */
async function authenticatedUser({ transport }: Client): Promise<string | undefined> {
  const { apiVersion, kind } = selfSubjectReview;
  try {
    const review = await transport.create(selfSubjectReview, {}, { apiVersion, kind }, { timeout: 5000 });
    const { userInfo } = (review.status ?? {}) as { userInfo?: { username?: string } };
    return userInfo?.username;
  } catch {
    return undefined;
  }
}

/** Kinds whose changes are events: those that controllers reconcile, own or watch, and further ones. */
function eventKinds(controllers: readonly Controller[], more: readonly Resource[] = []): readonly AnyKind[] {
  const kinds = new Map<string, AnyKind>();
  const add = (kind: AnyKind): void => {
    const key = typeof kind === "string" ? kind : `${kind.apiVersion}/${kind.kind}`;
    if (!kinds.has(key)) kinds.set(key, kind);
  };
  for (const { options, owns } of controllers) {
    // Objects of a poller are not in the API.
    if (options.from === undefined) add(options.for);
    for (const kind of owns) add(kind);
    for (const { kind, from } of objectWatches(options.watches)) if (from === undefined) add(kind);
  }
  for (const kind of more) add(kind);
  return [...kinds.values()];
}

/** Limits a controller to one namespace. */
function within(controller: Controller, namespace: string | undefined): Controller {
  const { options } = controller;
  if (namespace === undefined || options.for.scope === "Cluster") return controller;
  return { ...controller, options: { ...options, scope: { ...options.scope, namespace } } };
}

function electionOf(
  { leaderElection = true, ...options }: OperatorOptions,
  namespace: string,
): Election | undefined {
  if (leaderElection === false) return undefined;
  const given = leaderElection === true ? {} : leaderElection;
  return { ...given, namespace: given.namespace ?? namespace, name: given.name ?? leaseName(options) };
}

function shardsOf(
  { sharding = false, leaderElection, ...options }: OperatorOptions,
  namespace: string,
): Shards | undefined {
  if (sharding === false) return undefined;
  if (leaderElection !== undefined && leaderElection !== false) {
    throw new Error("set either leaderElection or sharding, not both");
  }
  const given = sharding === true ? {} : sharding;
  return {
    ...given,
    namespace: given.namespace ?? namespace,
    name: given.name ?? `${leaseName(options)}-shards`,
  };
}

/** The same in every process that runs the same controllers. */
function leaseName({ controllers = [], schedules = [] }: OperatorOptions): string {
  const names = [...controllers, ...schedules].map(({ name }) => name);
  const text = names
    .toSorted()
    .join("-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, "");
  return text === "" ? "fettle" : text.slice(0, 200).replace(/[^a-z0-9]+$/, "");
}
