import { keepProcessAlive } from "../../client/async/keep-process-alive.js";
import type { Client } from "../../client/client.js";
import type { State } from "../../events/state/state.js";
import { failures, systemClock, within, type Clock } from "../../model/core.js";
import type { Events } from "../../events/events.js";
import { lazyChild, type Log } from "../../runtime/log/log.js";
import type { Attributes, Extension, ExtensionRequest } from "../../server/index.js";
import type { OperatorRoutes } from "../routes/routes.js";
import type { OperatorDefinition, OperatorParts, SetupContext } from "./define-operator.js";
import { orderOperators } from "./order-operators.js";

export interface StartOperatorsOptions {
  /** Data folder. Default: a temporary folder that is removed in the end. */
  readonly data: string | undefined;
  /** Client of an operator, called with its user, such as `system:fettle:operator:process`. */
  readonly clientFor: (user: string) => Client;
  readonly state: State;
  readonly events: Events;
  /** Undefined where extensions are not served. */
  readonly checkAccess?: ((attributes: Attributes) => Promise<void> | undefined) | undefined;
  /** Called with the routes of each operator. Undefined where they are not served. */
  readonly addRoutes?: ((operator: string, routes: OperatorRoutes) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds for the setup of one operator, in real time, since it may start programs. Default: 60 s. */
  readonly timeout?: number | undefined;
  /** Cancels the start. */
  readonly signal?: AbortSignal | undefined;
  /** Registers a function that stops a part; called in reverse order. */
  readonly onStop: (stop: () => Promise<void>) => void;
}

/** Parts of all operators. Their routes have been added. */
export type CombinedParts = Required<Omit<OperatorParts, keyof OperatorRoutes>>;

/** Calls `setup` of operators and of those that they require, in the order of `requires`, and returns all their parts. */
export async function startOperators(
  operators: readonly OperatorDefinition[],
  options: StartOperatorsOptions,
): Promise<CombinedParts> {
  const ordered = orderOperators(operators);
  for (const { name, routes = {} } of ordered) options.addRoutes?.(name, routes);
  const withSetup = ordered.filter(({ setup }) => setup !== undefined);
  if (withSetup.length === 0) return combined([]);
  // SQLite is loaded for the lock of a folder.
  const { OperatorFolders } = await import("./operator-folders.js");
  const folders = new OperatorFolders(options.data);
  options.onStop(() => folders.remove());
  const parts: OperatorParts[] = [];
  const release = keepProcessAlive();
  try {
    for (const operator of withSetup) {
      const added = await setUp(operator, folders, options);
      options.addRoutes?.(operator.name, added);
      parts.push(added);
    }
  } finally {
    release();
  }
  return combined(parts);
}

interface Folders {
  open(operator: string): { readonly path: string; release(): void };
}

async function setUp(
  operator: OperatorDefinition,
  folders: Folders,
  {
    data,
    clientFor,
    state,
    events,
    checkAccess,
    clock,
    log,
    timeout = 60_000,
    signal: cancelled,
    onStop,
  }: StartOperatorsOptions,
): Promise<OperatorParts> {
  const { name, setup } = operator;
  let folder: ReturnType<Folders["open"]> | undefined;
  let isStopped = false;
  onStop(async () => {
    isStopped = true;
    folder?.release();
  });
  const stopping = new AbortController();
  const client = clientFor(`system:fettle:operator:${name}`);
  const context: SetupContext = {
    get folder() {
      if (isStopped) throw new Error(`operator ${name} has stopped: its folder belongs to others`);
      folder ??= folders.open(name);
      return folder.path;
    },
    isTemporary: data === undefined,
    client,
    state: state.below(`operators/${name}/`),
    events,
    log: lazyChild(log, () => ({ operator: name })),
    clock,
    signal: stopping.signal,
    onStop(stop) {
      // A setup that took too long may go on.
      if (isStopped)
        void stopPart(stop).catch((error: unknown) => log.error({ operator: name, err: error }, lateStop));
      else onStop(() => stopPart(stop));
    },
    async checkAccess(user, { verb, ...resource }) {
      if (checkAccess === undefined) {
        throw new Error(
          "checkAccess works in a control plane only: on Kubernetes, extensions are not served",
        );
      }
      await checkAccess({ user, verb, path: "", resource: { ...resource, version: "*" } });
    },
  };
  const limit = { clock: systemClock, limit: timeout, what: "its setup", signal: cancelled };
  try {
    const parts = await within(limit, async () => setup?.(context));
    return named(operator, parts ?? {}, stopping.signal);
  } catch (error) {
    if (cancelled?.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`operator ${name} could not be started: ${reason}`, { cause: error });
  } finally {
    // Registered last, so that it is called before the functions that setup has registered.
    onStop(async () => stopping.abort(new Error(`operator ${name} stops`)));
  }
}

const lateStop = "the operator started a part after it had been stopped, and it could not be stopped";

async function stopPart(stop: () => unknown): Promise<void> {
  await stop();
}

/** Parts of an operator, with health checks that have its name, and extensions that end with it. */
function named({ name }: OperatorDefinition, parts: OperatorParts, signal: AbortSignal): OperatorParts {
  return {
    ...parts,
    extensions: parts.extensions?.map((each) => stoppable(each, name, signal)),
    healthChecks: parts.healthChecks?.map((each) => ({ ...each, name: `${name}-${each.name}` })),
  };
}

/** Extension whose requests end when its operator stops, which is before the server does. */
function stoppable(extension: Extension, operator: string, signal: AbortSignal): Extension {
  const ending = (request: ExtensionRequest): ExtensionRequest => {
    if (signal.aborted) throw failures.serviceUnavailable(`operator ${operator} has stopped`);
    return { ...request, signal: AbortSignal.any([request.signal, signal]) };
  };
  return {
    path: extension.path,
    access: extension.access,
    errors: extension.errors,
    maxMessageBytes: extension.maxMessageBytes,
    serve: async (request) => extension.serve(ending(request)),
    ...(extension.upgrade !== undefined && {
      async upgrade(request) {
        const serve = await extension.upgrade?.(ending(request));
        return (
          serve &&
          (async (connection) => {
            const stop = (): void => connection.close(1001, `operator ${operator} has stopped`);
            signal.addEventListener("abort", stop, { once: true });
            try {
              await serve(connection);
            } finally {
              signal.removeEventListener("abort", stop);
            }
          })
        );
      },
    }),
  };
}

function combined(all: readonly OperatorParts[]): CombinedParts {
  return {
    controllers: all.flatMap(({ controllers = [] }) => controllers),
    schedules: all.flatMap(({ schedules = [] }) => schedules),
    subscriptions: all.flatMap(({ subscriptions = [] }) => subscriptions),
    handlers: all.flatMap(({ handlers = [] }) => handlers),
    extensions: all.flatMap(({ extensions = [] }) => extensions),
    healthChecks: all.flatMap(({ healthChecks = [] }) => healthChecks),
  };
}
