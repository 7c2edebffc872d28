import type { Client } from "../client/client.js";
import { systemClock, type Clock, type Random } from "../model/core.js";
import type { Resource } from "../model/resource/resource-types.js";
import type { Controller } from "../runtime/controller/controller.js";
import type { Log } from "../runtime/log/log.js";
import {
  startControllers,
  type Controllers,
  type ControllersOptions,
} from "../runtime/start/start-controllers.js";
import type { PerformanceOptions } from "../runtime/performance/options.js";
import type { MonitoringOptions } from "./monitoring/start-monitoring.js";
import { kindsOf } from "./definitions/kinds-of.js";
import { registerDefinitions, type RegisterOptions } from "./definitions/register-definitions.js";
import type { RunningEvents } from "../events/create-events.js";
import type { EventSubscription } from "../events/handler.js";
import { breakers as createBreakers } from "../runtime/breaker/breakers.js";
import { hasEventParts, type EventPartsOptions } from "./events/event-parts-options.js";
import type { RunningEventFeed } from "./events/event-feed.js";
import { emitPolled, emitRuns, startSubscriptions, type EventsOptions } from "./events/start-events.js";
import { fileRunStore, type RunFilesOptions } from "./runs/file-run-store.js";
import { applyPauses, followPauses, readPauses } from "./pauses/pauses.js";
import type { OperatorDefinition } from "./operators/define-operator.js";
import { orderOperators } from "./operators/order-operators.js";
import {
  startOperators,
  type CombinedParts,
  type StartOperatorsOptions,
} from "./operators/start-operators.js";
import type { OnStop } from "./start-parts.js";
import type { State } from "../events/state/state.js";
import type { PlaneStateOptions } from "./state/plane-state.js";

/** Options that `controlPlane()` and `operator()` have in common. */
export interface WorkOptions
  extends
    EventPartsOptions,
    Pick<
      ControllersOptions,
      "schedules" | "metrics" | "traces" | "detectors" | "observer" | "breakers" | "grace"
    > {
  readonly controllers?: readonly Controller[] | undefined;
  /** Operators to start, with those that they require. */
  readonly operators?: readonly OperatorDefinition[] | undefined;
  /** Changes controllers, also those of operators, before they start: for settings that override their code. */
  readonly configure?: ((controllers: readonly Controller[]) => readonly Controller[]) | undefined;
  /** Kinds to register besides those of operators, and those that the controllers reconcile, own or watch. */
  readonly kinds?: readonly Resource[] | undefined;
  readonly events?: EventsOptions | undefined;
  /** Handlers of events, made by `subscription()`. */
  readonly subscriptions?: readonly EventSubscription[] | undefined;
  /** Registers definitions even if stored objects violate the new schema, or another field manager owns the definition. */
  readonly forceDefinitions?: boolean | undefined;
  /** Record of runs on disk. Without a folder, the last runs are kept in memory. */
  readonly runs?: Partial<Pick<RunFilesOptions, "folder" | "maxAge" | "maxSize">> | undefined;
  /** Health checks at intervals, and callbacks for changes of health and for alerts. */
  readonly monitoring?: MonitoringOptions | undefined;
  /** Metrics under names of one's own, and thresholds that raise alerts. Default: none. */
  readonly performance?: PerformanceOptions | undefined;
  /** Where `state` keeps its values. */
  readonly state?: PlaneStateOptions | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Destination of log lines, such as `createLog()`. Default: none. */
  readonly log?: Log | undefined;
}

interface PrepareOptions
  extends
    Pick<
      WorkOptions,
      | "controllers"
      | "schedules"
      | "operators"
      | "subscriptions"
      | "handlers"
      | "configure"
      | "kinds"
      | "forceDefinitions"
    >,
    Omit<StartOperatorsOptions, "onStop"> {
  readonly client: Client;
  /** Registers kinds. */
  readonly register: boolean;
}

/**
 * Registers kinds and sets up operators. Returns the parts of all operators, with the controllers and schedules of the options.
 */
export async function prepareWork(
  { client, register, forceDefinitions: force, ...options }: PrepareOptions,
  onStop: OnStop,
): Promise<CombinedParts> {
  const { operators = [], configure = (same) => same, kinds = [], clock, log, signal } = options;
  const whenGone = registerLater(log, onStop);
  const registered = new Set<Resource>();
  const registerKinds = async (controllers: readonly Controller[]): Promise<void> => {
    if (!register) return;
    const all = [...orderOperators(operators).flatMap((operator) => operator.kinds), ...kinds];
    const added = kindsOf(controllers, all).filter((kind) => !registered.has(kind));
    for (const kind of added) registered.add(kind);
    await registerDefinitions(client, added, { log, clock, force, signal, whenGone });
  };
  await registerKinds(options.controllers ?? []);
  const parts = await startOperators(operators, { ...options, onStop });
  await registerKinds(parts.controllers);
  return {
    ...parts,
    controllers: configure([...(options.controllers ?? []), ...parts.controllers]),
    schedules: [...(options.schedules ?? []), ...parts.schedules],
    subscriptions: [...(options.subscriptions ?? []), ...parts.subscriptions],
    handlers: [...(options.handlers ?? []), ...parts.handlers],
  };
}

interface StartWorkOptions
  extends
    EventPartsOptions,
    Omit<ControllersOptions, "runs" | "events" | "publish" | "onError">,
    Pick<WorkOptions, "runs"> {
  /** Version of the program. */
  readonly version?: string | undefined;
  readonly log: Log;
  readonly events: RunningEvents;
  /** Events for controllers; stopped after them. */
  readonly feed: RunningEventFeed;
  readonly state: State;
  readonly subscriptions: readonly EventSubscription[];
  readonly healthChecks: CombinedParts["healthChecks"];
}

/** Starts controllers and schedules. */
export async function startWork(
  { client, runs = {}, healthChecks, events, feed, subscriptions, ...options }: StartWorkOptions,
  onStop: OnStop,
): Promise<Controllers> {
  const { clock = systemClock, log } = options;
  const { folder } = runs;
  const files = folder === undefined ? undefined : fileRunStore({ ...runs, folder, clock, log });
  if (files !== undefined) onStop(() => files.close());
  const pauses = await readPauses(client, log);
  const breakers = options.breakers ?? createBreakers({ clock });
  // Before the controllers, so that handlers get the events of their first runs.
  await startSubscriptions(events, subscriptions, log);
  const parts = hasEventParts(options)
    ? await (
        await import("./events/start-event-parts.js")
      ).startEventParts(options, { ...options, events, client, clock, breakers }, onStop)
    : undefined;
  const running = startControllers({
    ...options,
    breakers,
    client,
    runs: files,
    events: feed,
    publish: (emitted) => events.emitAll(emitted),
    onError: (component, error) => events.reportError(component, error),
  });
  onStop(() => running.stop());
  const ends = [emitRuns(events, running.runs), emitPolled(events, options.controllers)];
  onStop(async () => {
    for (const end of ends) end();
  });
  for (const { name, check, ...how } of [...healthChecks, ...(parts?.healthChecks ?? [])]) {
    running.health.check(name, check, how);
  }
  running.metrics?.add(parts?.families ?? []);
  if (pauses !== undefined) {
    // Before the first turn of the event loop, so that no paused object is reconciled.
    applyPauses(running.all, pauses);
    const following = new AbortController();
    const ended = followPauses(client, running.all, { clock, signal: following.signal });
    onStop(() => {
      following.abort();
      return ended;
    });
  }
  return running;
}

/** Registers kinds again whose old definitions are still being deleted, as soon as that is done. */
function registerLater(log: Log, onStop: OnStop): RegisterOptions["whenGone"] {
  const stopping = new AbortController();
  const pending: Promise<void>[] = [];
  onStop(async () => {
    stopping.abort();
    await Promise.all(pending);
  });
  return (register) => {
    const registered = register(stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) log.error({ err: error }, "a definition was not registered again");
    });
    pending.push(registered);
  };
}
