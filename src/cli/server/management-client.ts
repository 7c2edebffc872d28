import { asApiError, fromStatus, isNotFound, type ApiStatus } from "../../model/core.js";
import {
  managementPath,
  type AlertList,
  type BreakerList,
  type BreakerResetRequest,
  type BreakerResetResult,
  type ChangeList,
  type ControllerList,
  type DeadEventList,
  type RetryEventsRequest,
  type SubscriptionList,
  type DeadList,
  type History,
  type QueueCommandResult,
  type QueueCommandRequest,
  type PeerList,
  type PlanResponse,
  type PlanRequest,
  type QueueList,
  type RunList,
  type StateList,
  type ChangeReport,
  type RunReport,
  type Top,
} from "../../plane/management/contract.js";
import type { HealthReport } from "../../runtime/health/health.js";
import type { HttpTransport } from "../../client/transport/http/http-transport.js";

/** The server is a Kubernetes API without the management API of Fettle. */
export class NoManagementError extends Error {
  override readonly name = "NoManagementError";
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Filter of runs. */
interface RunQuery {
  readonly kind?: string | undefined;
  readonly key?: string | undefined;
  readonly controller?: string | undefined;
  readonly limit?: number | undefined;
  /** Id of a run; only runs after it are returned. */
  readonly after?: string | undefined;
  /** Only runs that ended then or later, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Only runs that wrote an object of this kind and key. */
  readonly wroteKind?: string | undefined;
  readonly wroteKey?: string | undefined;
}

/** Filter of changes in the store. */
export interface ChangeQuery {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly tail?: number | undefined;
  readonly reveal?: boolean | undefined;
  /** Revision; only changes after it are returned. */
  readonly after?: number | undefined;
}

/**
 * Client of the management API: runs, plans, queues, history. Streams end when the signal of the connection aborts.
 *
 * @example
 * for await (const run of server.plane.followRuns({ kind: "Site" })) console.log(run.key);
 */
export interface ManagementClient {
  controllers(): Promise<ControllerList>;
  instruct(
    controller: string,
    verb: "enqueue" | "pause" | "resume" | "retry",
    instruction: QueueCommandRequest,
  ): Promise<QueueCommandResult>;
  dead(): Promise<DeadList>;
  peers(): Promise<PeerList>;
  queue(query: {
    readonly controller?: string | undefined;
    readonly key?: string | undefined;
    /** Only objects whose last run failed. */
    readonly failed?: boolean | undefined;
    readonly limit?: number | undefined;
  }): Promise<QueueList>;
  breakers(): Promise<BreakerList>;
  resetBreakers(request: BreakerResetRequest): Promise<BreakerResetResult>;
  subscriptions(): Promise<SubscriptionList>;
  deadEvents(): Promise<DeadEventList>;
  /** Delivers dead events of a subscription again. */
  retryEvents(subscription: string, which: RetryEventsRequest): Promise<QueueCommandResult>;
  runs(query: RunQuery): Promise<RunList>;
  followRuns(query: RunQuery): AsyncGenerator<RunReport, void, undefined>;
  plan(request: PlanRequest): Promise<PlanResponse>;
  history(
    object: {
      readonly apiVersion: string;
      readonly kind: string;
      readonly namespace: string | undefined;
      readonly name: string;
    },
    options?: { readonly reveal?: boolean },
  ): Promise<History>;
  top(): Promise<Top>;
  followTop(every: number): AsyncGenerator<Top, void, undefined>;
  changes(query: ChangeQuery): Promise<ChangeList>;
  followChanges(query: ChangeQuery): AsyncGenerator<ChangeReport, void, undefined>;
  state(query: {
    readonly key: string;
    readonly limit?: number | undefined;
    readonly reveal?: boolean | undefined;
  }): Promise<StateList>;
  /** Profile of CPU usage or of allocations; resolves after this many seconds. */
  profile(seconds: number, type: "cpu" | "heap"): Promise<unknown>;
  /** Runs all health checks. */
  health(): Promise<HealthReport>;
  alerts(): Promise<AlertList>;
}

interface ManagementConnection {
  readonly transport: HttpTransport;
  /** URL of the server, for messages. */
  readonly server: string;
  /** Shows a progress line while a response takes long. */
  readonly withProgress: <T>(response: Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
}

export function managementClient({
  transport,
  server,
  withProgress,
  signal,
}: ManagementConnection): ManagementClient {
  const explained = (error: unknown): unknown => (isMissing(error) ? noManagement(server) : error);

  async function request<T>(path: string, query: Query = {}, content?: unknown): Promise<T> {
    try {
      const options = { query: { ...query }, signal, ...(content !== undefined && { content }) };
      return (await withProgress(transport.document(`${managementPath}/${path}`, options))) as T;
    } catch (error) {
      throw explained(error);
    }
  }

  async function* follow<T>(path: string, query: Query): AsyncGenerator<T, void, undefined> {
    try {
      const options = { query: { ...query, follow: true }, signal };
      for await (const value of transport.lines(`${managementPath}/${path}`, options)) {
        if (isStatus(value)) throw fromStatus(value);
        yield value as T;
      }
    } catch (error) {
      throw explained(error);
    }
  }

  return {
    controllers: () => request("controllers"),
    instruct: (controller, verb, instruction) =>
      request(`controllers/${encodeURIComponent(controller)}/${verb}`, {}, instruction),
    dead: () => request("dead"),
    peers: () => request("peers"),
    queue: (query) => request("queue", query),
    breakers: () => request("breakers"),
    resetBreakers: (body) => request("breakers/reset", {}, body),
    subscriptions: () => request("subscriptions"),
    deadEvents: () => request("dead-events"),
    retryEvents: (subscription, which) =>
      request(`subscriptions/${encodeURIComponent(subscription)}/retry`, {}, which),
    runs: (query) => request("runs", { ...query }),
    followRuns: (query) => follow("runs", { ...query }),
    plan: (body) => request("plan", {}, body),
    history: (object, options = {}) => request("history", { ...object, ...options }),
    top: () => request("top"),
    followTop: (every) => follow("top", { every: `${every}ms` }),
    changes: (query) => request("changes", { ...query }),
    followChanges: (query) => follow("changes", { ...query }),
    state: (query) => request("state", { ...query }),
    health: () => request("health"),
    alerts: () => request("alerts"),
    async profile(seconds, type) {
      for await (const profile of follow<unknown>("profile", { seconds, type })) return profile;
      signal.throwIfAborted();
      throw new Error("the server closed the connection before the profile was complete; was it stopped?");
    },
  };
}

/** True for a 404 of the path itself; the 404 of an object has a reason. */
function isMissing(error: unknown): boolean {
  const failure = asApiError(error);
  if (failure === undefined || !isNotFound(failure)) return false;
  return (
    failure.reason === "" ||
    /the server (could not find the requested resource|answered 404)/.test(failure.message)
  );
}

function noManagement(server: string): NoManagementError {
  return new NoManagementError(
    `${server} serves no Fettle management API (${managementPath}). This command needs a control plane ` +
      `started by fettle up or controlPlane(); choose it with --kubeconfig or --context`,
  );
}

function isStatus(value: unknown): value is Partial<ApiStatus> {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}
