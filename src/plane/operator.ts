import type { Client } from "../client/client.js";
import { createClient } from "../client/create-client.js";
import { loadConnection } from "../client/kubeconfig/load-connection.js";
import type { Connection } from "../client/transport/connection.js";
import { httpTransport } from "../client/transport/http/http-transport.js";
import { systemClock, systemRandom, type Clock, type Random } from "../model/core.js";
import type { Resource } from "../model/schema/resource-types.js";
import type { Controller } from "../runtime/controller/controller.js";
import { silent, type Log } from "../runtime/log/log.js";
import { controllerMetrics } from "../runtime/observe/metrics.js";
import type { Schedule } from "../runtime/schedule/schedule.js";
import {
  startControllers,
  type Controllers,
  type ControllersOptions,
} from "../runtime/start/start-controllers.js";
import type { Election, Shards } from "../runtime/start/ownership.js";
import { kindsOf } from "./definitions/kinds-of.js";
import { registerDefinitions } from "./definitions/register-definitions.js";
import { registerLater } from "./definitions/register-later.js";
import { Endings } from "./endings.js";
import { startHealthServer } from "./health-server.js";

export interface OperatorOptions extends Pick<
  ControllersOptions,
  "metrics" | "traces" | "detectors" | "observer" | "breakers" | "runs" | "grace"
> {
  readonly controllers?: readonly Controller[] | undefined;
  readonly schedules?: readonly Schedule[] | undefined;
  /** Kinds that are registered although no controller here is for them or owns them. */
  readonly kinds?: readonly Resource[] | undefined;
  /** Where the API is; without it the one that `kubeconfig` and `context` name, or that kubectl would use here. */
  readonly connection?: Connection | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Only objects of this namespace are seen. Without it, those of all. */
  readonly namespace?: string | undefined;
  /**
   * Only one of the processes that name the same Lease works at a time. Default: on, with a Lease named after the
   * controllers in the namespace of the connection.
   */
  readonly leaderElection?: boolean | Partial<Election> | undefined;
  /**
   * All processes that name the same Lease work, each on its share of the objects; there is no leader election then.
   * Default: off. The Lease is named after the controllers, with `-shards` at its end, unless told.
   */
  readonly sharding?: boolean | Partial<Shards> | undefined;
  /** Where `/livez`, `/readyz`, `/healthz` and `/metrics` are served; nowhere unless told. Port 8081, of this machine alone. */
  readonly health?:
    | { readonly host?: string | undefined; readonly port?: number | undefined }
    | false
    | undefined;
  /** Whether the definitions of kinds are brought up to date first. Default `"apply"`. */
  readonly definitions?: "apply" | "skip" | undefined;
  /** Of this program, for the server's logs. */
  readonly userAgent?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
  /** Told of what a server warns of, and of oddities in a kubeconfig. */
  readonly onWarning?: ((text: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Controllers at work on an API that is elsewhere. */
export interface Operator extends AsyncDisposable {
  /** The server. */
  readonly server: string;
  readonly client: Client;
  readonly controllers: Controllers;
  /** Where its health is served; undefined when it is not. */
  readonly health: string | undefined;
  /** The Lease that decides who works, such as `default/sites.demo.dev`; undefined when nothing is decided. */
  readonly lease: string | undefined;
  /** Runs come to their end, and the lease, or the shards, are released. */
  stop(): Promise<void>;
}

const defaultHealthPort = 8081;

/**
 * Runs controllers against Kubernetes, or another Fettle: registers their kinds and sets them to work, one process at a time.
 * Resolves when they take part; `controllers.ready()` when this process leads.
 *
 * @example
 * const running = await operator({ controllers: [sites], health: { port: 8081 } });
 * process.once("SIGTERM", () => void running.stop());
 */
export async function operator(options: OperatorOptions): Promise<Operator> {
  const { clock = systemClock, random = systemRandom, log = silent, namespace, onWarning } = options;
  const { kubeconfig, context, signal, definitions = "apply", health = false } = options;
  const endings = new Endings();
  try {
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
    endings.add(async () => client[Symbol.asyncDispose]());
    const controllers = (options.controllers ?? []).map((each) => within(each, namespace));
    if (definitions === "apply") {
      const whenGone = registerLater(endings, log);
      await registerDefinitions(client, kindsOf(controllers, options.kinds), {
        log,
        clock,
        signal,
        whenGone,
      });
    }
    const shards = shardsOf(options, client.namespace);
    const election = shards === undefined ? electionOf(options, client.namespace) : undefined;
    const lease = shards ?? election;
    const running = startControllers({
      ...options,
      controllers,
      client,
      metrics: metrics ?? false,
      leaderElection: election,
      sharding: shards,
      clock,
      random,
      log,
    });
    endings.add(() => running.stop());
    let url: string | undefined;
    if (health !== false) {
      const { host = "127.0.0.1", port = defaultHealthPort } = health;
      const server = await startHealthServer({ controllers: running, host, port });
      endings.add(() => server.close());
      url = server.url;
    }
    const made: Operator = {
      server: connection.server,
      client,
      controllers: running,
      health: url,
      lease: lease && `${lease.namespace}/${lease.name}`,
      stop: () => endings.end(),
      [Symbol.asyncDispose]: () => made.stop(),
    };
    return made;
  } catch (error) {
    await endings.end().catch(() => {});
    throw error;
  }
}

/** A controller that sees one namespace only. */
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
  const said = leaderElection === true ? {} : leaderElection;
  return { ...said, namespace: said.namespace ?? namespace, name: said.name ?? leaseName(options) };
}

function shardsOf(
  { sharding = false, leaderElection, ...options }: OperatorOptions,
  namespace: string,
): Shards | undefined {
  if (sharding === false) return undefined;
  if (leaderElection !== undefined && leaderElection !== false) {
    throw new Error(
      "either one process leads or all share the work: give leaderElection or sharding, not both",
    );
  }
  const said = sharding === true ? {} : sharding;
  return {
    ...said,
    namespace: said.namespace ?? namespace,
    name: said.name ?? `${leaseName(options)}-shards`,
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
