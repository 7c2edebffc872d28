import { asApiError, fromStatus, isNotFound, type ApiStatus } from "../model/core.js";
import {
  managementPath,
  type ChangeList,
  type ControllerList,
  type DeadList,
  type History,
  type QueueCommandResult,
  type QueueCommandRequest,
  type PlanResponse,
  type PlanRequest,
  type RunList,
  type StateList,
  type ChangeReport,
  type RunReport,
  type Top,
} from "../plane/management/contract.js";
import type { Connected } from "./connect.js";

/** The server speaks Kubernetes' API, but it is no control plane of Fettle's that could tell more. */
class NoManagementError extends Error {
  override readonly name = "NoManagementError";
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Asked {
  readonly kind?: string | undefined;
  readonly key?: string | undefined;
  readonly controller?: string | undefined;
  readonly limit?: number | undefined;
  /** Only what came after the run with this id. */
  readonly after?: string | undefined;
  /** Only runs that ended then or later, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Only runs that wrote an object of this kind and key. */
  readonly wroteKind?: string | undefined;
  readonly wroteKey?: string | undefined;
}

interface ChangesAsked {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly tail?: number | undefined;
  readonly reveal?: boolean | undefined;
  /** Only what came after this revision. */
  readonly after?: number | undefined;
}

/**
 * What a control plane tells besides its objects. Whatever follows ends when the signal aborts.
 *
 * @example
 * const plane = managementClient(connected, terminal.signal);
 * for await (const run of plane.followRuns({ kind: "Site" })) console.log(run.key);
 */
export interface ManagementClient {
  controllers(): Promise<ControllerList>;
  instruct(
    controller: string,
    verb: "enqueue" | "pause" | "resume" | "retry",
    instruction: QueueCommandRequest,
  ): Promise<QueueCommandResult>;
  dead(): Promise<DeadList>;
  runs(asked: Asked): Promise<RunList>;
  followRuns(asked: Asked): AsyncGenerator<RunReport, void, undefined>;
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
  changes(asked: ChangesAsked): Promise<ChangeList>;
  followChanges(asked: ChangesAsked): AsyncGenerator<ChangeReport, void, undefined>;
  state(asked: {
    readonly key: string;
    readonly limit?: number | undefined;
    readonly reveal?: boolean | undefined;
  }): Promise<StateList>;
  /** A CPU profile, when its time is over. */
  profile(seconds: number): Promise<unknown>;
}

export function managementClient(
  { transport, connection, waitedFor }: Pick<Connected, "transport" | "connection" | "waitedFor">,
  signal: AbortSignal,
): ManagementClient {
  const explained = (error: unknown): unknown => (isMissing(error) ? noManagement(connection.server) : error);

  async function ask<T>(path: string, query: Query = {}, content?: unknown): Promise<T> {
    try {
      const options = { query: { ...query }, signal, ...(content !== undefined && { content }) };
      return (await waitedFor(transport.document(`${managementPath}/${path}`, options))) as T;
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
    controllers: () => ask("controllers"),
    instruct: (controller, verb, instruction) =>
      ask(`controllers/${encodeURIComponent(controller)}/${verb}`, {}, instruction),
    dead: () => ask("dead"),
    runs: (asked) => ask("runs", { ...asked }),
    followRuns: (asked) => follow("runs", { ...asked }),
    plan: (request) => ask("plan", {}, request),
    history: (object, options = {}) => ask("history", { ...object, ...options }),
    top: () => ask("top"),
    followTop: (every) => follow("top", { every: `${every}ms` }),
    changes: (asked) => ask("changes", { ...asked }),
    followChanges: (asked) => follow("changes", { ...asked }),
    state: (asked) => ask("state", { ...asked }),
    async profile(seconds) {
      for await (const profile of follow<unknown>("profile", { seconds })) return profile;
      signal.throwIfAborted();
      throw new Error("the server ended the profile before it was complete: has it been stopped?");
    },
  };
}

/** Nothing is at the path; what is there and says that it knows no such object has a reason. */
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
    `the server ${server} is no Fettle control plane, or one without management: it has nothing at ${managementPath}. ` +
      `This command needs one that "fettle up" or controlPlane() started; see --kubeconfig and --context`,
  );
}

function isStatus(value: unknown): value is Partial<ApiStatus> {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}
