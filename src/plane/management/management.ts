import { asApiError, failures, fromStatus, type Clock } from "../../model/core.js";
import { splitKey } from "../../runtime/controller/keys.js";
import type { Events } from "../../events/events.js";
import type { RunQuery } from "../../runtime/runs/run-store.js";
import type { Controllers } from "../../runtime/start/start-controllers.js";
import type { Extension, ExtensionResponse, ExtensionRequest } from "../../server/index.js";
import { storeFailure } from "../../server/registry/store-failures.js";
import type { Store } from "../../store/index.js";
import {
  checkAdministrator,
  checkRead,
  checkReadAll,
  checkReadKind,
  checkReveal,
  type UserAccess,
} from "./access.js";
import type { Monitoring } from "../monitoring/start-monitoring.js";
import {
  managementPath,
  type PeerList,
  type AlertList,
  type DeadEventList,
  type QueueCommandResult,
  type SubscriptionList,
} from "./contract.js";
import { breakerList, breakerResetRequest, resetBreakers } from "./controllers/breakers.js";
import { controllerList, controllerNamed, deadList } from "./controllers/controller-states.js";
import { queueList } from "./controllers/queue-list.js";
import { executeQueueCommand, isQueueCommand, queueCommandRequest } from "./controllers/queue-commands.js";
import { jsonLines, untilDisconnected } from "./lines.js";
import {
  bodyFields,
  durationParameter,
  integerParameter,
  isSet,
  optionalParameter,
  requiredParameter,
} from "./parameters.js";
import { manifestsIn, planManifests } from "./plan/plan-manifests.js";
import { cpuProfile, heapProfile, heapSnapshot } from "./profile.js";
import { followRuns, lastRuns } from "./runs/run-reports.js";
import type { Peers } from "../peers/start-peers.js";
import { followChanges, lastChanges } from "./store/changes.js";
import { historyOf } from "./store/history.js";
import { storeState } from "./store/state.js";
import { TopMeter } from "./top/top.js";

export interface ManagementOptions {
  /** Parts that are started after the server; undefined until then. */
  readonly parts: () => {
    readonly controllers?: Controllers;
    readonly monitoring?: Monitoring;
    readonly api?: UserAccess;
    readonly events?: Events;
    /** Undefined without peers. */
    readonly peers?: Pick<Peers, "states"> | undefined;
  };
  readonly store: Store;
  readonly clock: Clock;
}

/** Parts of the control plane that endpoints use. */
interface Plane {
  readonly store: Store;
  readonly clock: Clock;
  readonly top: TopMeter;
  controllers(): Controllers;
  monitoring(): Monitoring;
  api(): UserAccess;
  events(): Events;
  peers(): PeerList;
}

interface Endpoint {
  readonly method: "GET" | "POST";
  respond(request: ExtensionRequest, plane: Plane): Promise<ExtensionResponse>;
}

/** Serves the management API; {@link managementPath} describes it. */
export function management({ parts, store, clock }: ManagementOptions): Extension {
  const plane: Plane = {
    store,
    clock,
    top: new TopMeter(store, clock, () => parts().monitoring),
    controllers: () => started(parts().controllers),
    monitoring: () => started(parts().monitoring),
    api: () => started(parts().api),
    events: () => started(parts().events),
    peers: () => ({ peers: parts().peers?.states() ?? [] }),
  };
  return {
    path: managementPath,
    async serve(request) {
      const endpoint = endpointAt(request.path);
      if (endpoint === undefined) return undefined;
      const { method } = endpoint;
      if (request.method === method) return respond(endpoint, request, plane);
      throw fromStatus({
        code: 405,
        reason: "MethodNotAllowed",
        message: `${managementPath}/${request.path} allows ${method}, not ${request.method}`,
      });
    },
  };
}

/** Responds 503 rather than 500 to a request that was cancelled. */
async function respond(
  endpoint: Endpoint,
  request: ExtensionRequest,
  plane: Plane,
): Promise<ExtensionResponse> {
  try {
    return await endpoint.respond(request, plane);
  } catch (error) {
    if (!request.signal.aborted || asApiError(error) !== undefined) throw storeFailure(error);
    throw failures.serviceUnavailable("the client has disconnected, or the control plane is stopping");
  }
}

function started<T>(part: T | undefined): T {
  if (part !== undefined) return part;
  throw failures.serviceUnavailable(
    "the control plane is starting: its controllers are not ready yet; try again in a moment",
  );
}

function endpointAt(path: string): Endpoint | undefined {
  if (Object.hasOwn(endpoints, path)) return endpoints[path];
  const [first, name, command, ...more] = path.split("/");
  if (first === "subscriptions" && name !== undefined && command === "retry" && more.length === 0)
    return { method: "POST", respond: (request, plane) => retryEvents(request, plane, name) };
  if (first !== "controllers" || name === undefined || more.length > 0 || !isQueueCommand(command)) {
    return undefined;
  }
  return {
    method: "POST",
    async respond(request, plane) {
      const handle = controllerNamed(plane.controllers(), name);
      const body = queueCommandRequest(await bodyFields(request));
      return { json: await executeQueueCommand(handle, command, body, plane.api().clientAs(request.user)) };
    },
  };
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  controllers: {
    method: "GET",
    respond: async (_, plane) => ({ json: controllerList(plane.controllers()) }),
  },
  dead: { method: "GET", respond: async (_, plane) => ({ json: deadList(plane.controllers()) }) },
  queue: { method: "GET", respond: respondQueue },
  breakers: { method: "GET", respond: async (_, plane) => ({ json: breakerList(plane.controllers()) }) },
  "breakers/reset": {
    method: "POST",
    respond: async (request, plane) => ({
      json: resetBreakers(plane.controllers(), breakerResetRequest(await bodyFields(request))),
    }),
  },
  health: { method: "GET", respond: async (_, plane) => ({ json: await plane.monitoring().health.check() }) },
  alerts: { method: "GET", respond: async (_, plane) => ({ json: alertList(plane.monitoring()) }) },
  subscriptions: { method: "GET", respond: respondSubscriptions },
  "dead-events": { method: "GET", respond: respondDeadEvents },
  peers: { method: "GET", respond: async (_, plane) => ({ json: plane.peers() }) },
  runs: { method: "GET", respond: respondRuns },
  plan: { method: "POST", respond: respondPlan },
  history: { method: "GET", respond: respondHistory },
  top: { method: "GET", respond: respondTop },
  changes: { method: "GET", respond: respondChanges },
  state: { method: "GET", respond: respondState },
  profile: { method: "GET", respond: respondProfile },
  backup: { method: "GET", respond: respondBackup },
};

const maxLimit = 10_000;

async function respondQueue(request: ExtensionRequest, plane: Plane): Promise<ExtensionResponse> {
  const controllers = plane.controllers();
  const name = optionalParameter(request, "controller");
  const handles = name === undefined ? controllers.all : [controllerNamed(controllers, name)];
  const list = queueList(handles, {
    key: optionalParameter(request, "key"),
    isFailed: isSet(request, "failed"),
    limit: integerParameter(request, "limit", { max: maxLimit, fallback: 500 }),
  });
  return { json: list };
}

async function respondRuns(request: ExtensionRequest, plane: Plane): Promise<ExtensionResponse> {
  const controllers = plane.controllers();
  const { runs } = controllers;
  const text = (name: string): string | undefined => optionalParameter(request, name);
  const [controller, after, wroteKind, wroteKey] = [
    text("controller"),
    text("after"),
    text("wroteKind"),
    text("wroteKey"),
  ];
  if (controller !== undefined) controllerNamed(controllers, controller);
  const reveal = await isRevealing(request, plane);
  const follow = isSet(request, "follow");
  const query: RunQuery = {
    kind: text("kind"),
    key: text("key"),
    uid: text("uid"),
    controller,
    after,
    since: integerParameter(request, "since", { max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
    ...(wroteKind !== undefined &&
      wroteKey !== undefined && { wrote: { kind: wroteKind, ...splitKey(wroteKey) } }),
    limit: integerParameter(request, "limit", {
      max: maxLimit,
      fallback: after !== undefined ? maxLimit : follow ? 0 : 50,
    }),
  };
  if (!follow) return { json: { runs: await lastRuns(runs, query, reveal) } };
  return jsonLines(followRuns(runs, query, { reveal, signal: request.signal }));
}

/** True when the contents of Secrets are requested, by a user who may read them. */
async function isRevealing(request: ExtensionRequest, plane: Plane): Promise<boolean> {
  const reveal = isSet(request, "reveal");
  if (reveal) await checkReveal(plane.api(), request.user);
  return reveal;
}

async function respondPlan(request: ExtensionRequest, plane: Plane): Promise<ExtensionResponse> {
  const reveal = await isRevealing(request, plane);
  const plans = await planManifests({
    client: plane.api().clientAs(request.user),
    controllers: plane.controllers(),
    manifests: manifestsIn(await bodyFields(request)),
    reveal,
    signal: request.signal,
  });
  return { json: plans };
}

async function respondHistory(request: ExtensionRequest, plane: Plane): Promise<ExtensionResponse> {
  const [apiVersion = "", kind = "", name = ""] = ["apiVersion", "kind", "name"].map((parameter) =>
    requiredParameter(request, parameter),
  );
  const api = plane.api();
  const client = api.clientAs(request.user);
  const info = await client.kind({ apiVersion, kind });
  const namespace = optionalParameter(request, "namespace") ?? client.namespace;
  await checkRead(api, request.user, info, { namespace, name });
  const history = await historyOf(plane.store, {
    kind: info,
    namespace,
    name,
    reveal: isSet(request, "reveal"),
    signal: request.signal,
  });
  return { json: history };
}

async function respondTop(request: ExtensionRequest, plane: Plane): Promise<ExtensionResponse> {
  const controllers = plane.controllers();
  if (!isSet(request, "follow")) return { json: await plane.top.once(controllers) };
  const every = durationParameter(request, "every", { min: 100, fallback: 2000 });
  return jsonLines(plane.top.follow(controllers, every, request.signal));
}

async function respondChanges(request: ExtensionRequest, plane: Plane): Promise<ExtensionResponse> {
  const { store } = plane;
  const follow = isSet(request, "follow");
  const options = {
    kind: optionalParameter(request, "kind"),
    apiVersion: optionalParameter(request, "apiVersion"),
    tail: integerParameter(request, "tail", { max: maxLimit, fallback: follow ? 0 : 100 }),
    after: request.parameter("after")
      ? integerParameter(request, "after", { max: Number.MAX_SAFE_INTEGER, fallback: 0 })
      : undefined,
    reveal: isSet(request, "reveal"),
    signal: request.signal,
  };
  const verbs = follow ? (["list", "watch"] as const) : (["list"] as const);
  await checkReadKind(plane.api(), request.user, options, ...verbs);
  return follow ? jsonLines(followChanges(store, options)) : { json: await lastChanges(store, options) };
}

async function respondSubscriptions(_: ExtensionRequest, plane: Plane): Promise<ExtensionResponse> {
  const list: SubscriptionList = { subscriptions: plane.events().subscriptions() };
  return { json: list };
}

/** Events contain objects of any kind. */
async function respondDeadEvents(request: ExtensionRequest, plane: Plane): Promise<ExtensionResponse> {
  await checkReadAll(plane.api(), request.user, "list");
  const list: DeadEventList = { letters: await plane.events().dead() };
  return { json: list };
}

async function retryEvents(
  request: ExtensionRequest,
  plane: Plane,
  subscription: string,
): Promise<ExtensionResponse> {
  const { id } = await bodyFields(request);
  if (id !== undefined && typeof id !== "string") throw failures.badRequest("id must be the id of an event");
  try {
    const result: QueueCommandResult = { count: await plane.events().retry(subscription, id) };
    return { json: result };
  } catch (error) {
    if (error instanceof RangeError) throw failures.badRequest(error.message);
    throw error;
  }
}

async function respondState(request: ExtensionRequest, plane: Plane): Promise<ExtensionResponse> {
  const options = {
    key: optionalParameter(request, "key") ?? "*",
    limit: integerParameter(request, "limit", { min: 1, max: maxLimit, fallback: 500 }),
    reveal: isSet(request, "reveal"),
    signal: request.signal,
  };
  await checkReadAll(plane.api(), request.user, "list");
  return { json: await storeState(plane.store, options) };
}

function alertList({ performance }: Monitoring): AlertList {
  return { configured: performance?.hasThresholds ?? false, alerts: performance?.alerts() ?? [] };
}

async function respondProfile(request: ExtensionRequest, plane: Plane): Promise<ExtensionResponse> {
  const seconds = integerParameter(request, "seconds", { min: 1, max: 600, fallback: 10 });
  const type = optionalParameter(request, "type") ?? "cpu";
  if (!isSet(request, "follow")) {
    throw failures.badRequest("a profile takes longer than a request may: set follow=true");
  }
  if (type === "heapsnapshot") {
    await checkAdministrator(plane.api(), request.user);
    return { type: "application/json", stream: untilDisconnected(heapSnapshot(), request.signal) };
  }
  if (type !== "cpu" && type !== "heap") {
    throw failures.badRequest(`type=${type}: must be cpu, heap or heapsnapshot`);
  }
  const take = type === "heap" ? heapProfile : cpuProfile;
  const profile = take(seconds * 1000, request.signal);
  // A failure is reported to the reader of the stream.
  profile.catch(() => {});
  return { type: "application/json", stream: untilDisconnected(once(profile), request.signal) };
}

async function* once(text: Promise<string>): AsyncGenerator<string, void, undefined> {
  yield await text;
}

async function respondBackup(request: ExtensionRequest, plane: Plane): Promise<ExtensionResponse> {
  if (!isSet(request, "follow")) {
    throw failures.badRequest("a backup takes longer than a request may: set follow=true");
  }
  await checkReadAll(plane.api(), request.user, "list");
  const { store, clock } = plane;
  const { backup } = await import("../backup/backup.js");
  const stream = backup(store, { clock, signal: request.signal });
  return { type: "application/gzip", stream: untilDisconnected(stream, request.signal) };
}
