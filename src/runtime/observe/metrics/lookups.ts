import type { Informers, InformerState } from "../../../client/informer/informers.js";
import type { PollStats } from "../../../client/polling/stats.js";
import type { Clock } from "../../../model/core.js";
import type { Breakers } from "../../breaker/breakers.js";
import type { CommonOptions } from "../../controller/controller.js";
import type { TypedKind } from "../../controller/reconcile-context.js";
import type { WorkQueue } from "../../queue/work-queue.js";
import type { Trigger } from "../../runs/run.js";
import { lookedUp, type Family, type SetSample } from "./family.js";

/** A poller, as far as its numbers go. */
export interface Polling {
  readonly name: string;
  stats(): PollStats;
}

/** State of a controller from which gauges are computed. */
interface ObservedController {
  readonly name: string;
  readonly concurrency: number;
  readonly pausedObjects: number;
  readonly controller: { readonly options: CommonOptions<TypedKind> };
  /** Undefined while this process does not work on the controller's objects. */
  readonly loop:
    | { readonly active: number; readonly lingering: number; readonly queue: WorkQueue<Trigger> }
    | undefined;
  dead(): readonly unknown[];
  isPaused(): boolean;
}

/** Sources of the gauges of running controllers, read on demand. */
export interface GaugeSources {
  readonly clock: Clock;
  readonly controllers: readonly ObservedController[];
  readonly informers: Informers;
  readonly breakers: Breakers;
  /** The lease's name, and how the election for it goes. */
  readonly election?:
    | { readonly name: string; readonly election: { readonly isLeader: boolean } }
    | undefined;
  /** The name of the lease that says whose the shards are, and how they are shared. */
  readonly sharding?:
    | {
        readonly name: string;
        readonly sharding: { readonly shards: number; readonly owned: number; readonly members: number };
      }
    | undefined;
}

type Look<T> = (each: T, put: SetSample) => void;
type AddsOf = (controller: string, depth: number) => number;

/** Metrics whose values are read from their sources on demand. */
export function lookups(
  watched: ReadonlySet<GaugeSources>,
  pollers: ReadonlySet<Polling>,
  adds: AddsOf,
): readonly Family[] {
  return [
    ...controllerLookups(watched, adds),
    ...informerLookups(watched),
    ...breakerLookups(watched),
    ...pollerLookups(watched, pollers),
    lookedUp(
      "gauge",
      "leader_election_master_status",
      "1 if this process is the leader, otherwise 0.",
      ["name"],
      (put) => {
        for (const { election } of watched) {
          if (election !== undefined) put(election.election.isLeader ? 1 : 0, election.name);
        }
      },
      Math.max,
    ),
    ...shardLookups(watched),
  ];
}

function shardLookups(watched: ReadonlySet<GaugeSources>): Family[] {
  const look = (
    name: string,
    help: string,
    value: (sharding: NonNullable<GaugeSources["sharding"]>["sharding"]) => number,
  ): Family =>
    lookedUp(
      "gauge",
      name,
      help,
      ["name"],
      (put) => {
        for (const { sharding } of watched) if (sharding) put(value(sharding.sharding), sharding.name);
      },
      Math.max,
    );
  return [
    look("fettle_shards", "Number of shards.", ({ shards }) => shards),
    look("fettle_shards_owned", "Number of shards that this process owns.", ({ owned }) => owned),
    look("fettle_shard_members", "Number of live processes that share the shards.", (each) => each.members),
  ];
}

function controllerLookups(watched: ReadonlySet<GaugeSources>, adds: AddsOf): Family[] {
  const look = (
    name: string,
    help: string,
    labels: readonly string[],
    each: (handle: ObservedController, put: SetSample, clock: Clock) => void,
    type: "counter" | "gauge" = "gauge",
  ): Family =>
    lookedUp(type, name, help, labels, (put) => {
      for (const { controllers, clock } of watched)
        for (const handle of controllers) each(handle, put, clock);
    });
  const controller = ["controller"];
  const queue = ["name", "controller"];
  const runningFor = ({ loop }: ObservedController, clock: Clock): number[] => {
    const now = clock.now();
    return loop?.queue.runningKeys().map(({ taken }) => Math.max(0, now - taken) / 1000) ?? [];
  };
  return [
    look(
      "controller_runtime_max_concurrent_reconciles",
      "Maximum number of concurrent runs.",
      controller,
      ({ name, concurrency }, put) => put(concurrency, name),
    ),
    look("controller_runtime_active_workers", "Number of active runs.", controller, ({ name, loop }, put) =>
      put(loop?.active ?? 0, name),
    ),
    look("workqueue_depth", "Number of objects waiting for a worker.", queue, ({ name, loop }, put) =>
      put(loop?.queue.depth ?? 0, name, name),
    ),
    look(
      "workqueue_adds_total",
      "Objects added to the queue.",
      queue,
      ({ name, loop }, put) => put(adds(name, loop?.queue.depth ?? 0), name, name),
      "counter",
    ),
    look(
      "workqueue_unfinished_work_seconds",
      "Total duration so far of all active runs.",
      queue,
      (handle, put, clock) =>
        put(
          runningFor(handle, clock).reduce((sum, each) => sum + each, 0),
          handle.name,
          handle.name,
        ),
    ),
    look(
      "workqueue_longest_running_processor_seconds",
      "Duration so far of the longest active run.",
      queue,
      (handle, put, clock) => put(Math.max(0, ...runningFor(handle, clock)), handle.name, handle.name),
    ),
    look(
      "fettle_queue_delayed",
      "Number of objects that are not due yet: delayed, or waiting for their batch.",
      controller,
      ({ name, loop }, put) => put(loop?.queue.delayed ?? 0, name),
    ),
    look("fettle_dead_letters", "Number of dead letters.", controller, (handle, put) =>
      put(handle.dead().length, handle.name),
    ),
    look("fettle_paused", "1 if the controller is paused, otherwise 0.", controller, (handle, put) =>
      put(handle.isPaused() ? 1 : 0, handle.name),
    ),
    look(
      "fettle_paused_objects",
      "Number of objects paused by name.",
      controller,
      ({ name, pausedObjects }, put) => put(pausedObjects, name),
    ),
    look(
      "fettle_lingering_runs",
      "Number of functions that still run although their run was cancelled.",
      controller,
      ({ name, loop }, put) => put(loop?.lingering ?? 0, name),
    ),
  ];
}

function informerLookups(watched: ReadonlySet<GaugeSources>): Family[] {
  const labels = ["kind", "namespace", "selector"];
  const look = (
    name: string,
    help: string,
    value: (state: InformerState) => number | undefined,
    type: "counter" | "gauge" = "gauge",
    merge?: (one: number, other: number) => number,
  ): Family =>
    lookedUp(
      type,
      name,
      help,
      labels,
      (put) => {
        for (const { informers } of watched) {
          for (const state of informers.states()) {
            const { kind, scope } = state;
            const selector = [scope.labelSelector, scope.fieldSelector].filter(Boolean).join(";");
            const number = value(state);
            if (number !== undefined)
              put(number, `${kind.apiVersion}/${kind.kind}`, scope.namespace ?? "", selector);
          }
        }
      },
      merge,
    );
  return [
    look("fettle_informer_objects", "Number of cached objects.", ({ size }) => size),
    look(
      "fettle_informer_synced",
      "1 if the initial list is complete, otherwise 0.",
      ({ synced }) => (synced ? 1 : 0),
      "gauge",
      Math.min,
    ),
    look("fettle_informer_users", "Number of users that share the informer.", ({ users }) => users),
    look("fettle_informer_lists_total", "Lists of all objects.", ({ lists }) => lists, "counter"),
    look(
      "fettle_informer_relists_total",
      "Lists after the first one.",
      ({ lists }) => Math.max(0, lists - 1),
      "counter",
    ),
    look("fettle_informer_watches_total", "Started watches.", ({ watches }) => watches, "counter"),
    look("fettle_informer_errors_total", "Failed lists and watches.", ({ errors }) => errors, "counter"),
    look(
      "fettle_informer_last_event_timestamp_seconds",
      "Time of the last event or bookmark, in seconds since 1970.",
      ({ lastEventAt }) => (lastEventAt === undefined ? undefined : lastEventAt / 1000),
      "gauge",
      Math.max,
    ),
  ];
}

function breakerLookups(watched: ReadonlySet<GaugeSources>): Family[] {
  return [
    lookedUp(
      "gauge",
      "fettle_breaker_state",
      "State of a circuit breaker: 1 for the current state, 0 for the others.",
      ["breaker", "state"],
      (put) => {
        const all = new Set([...watched].map(({ breakers }) => breakers));
        for (const breakers of all) {
          for (const { name, state } of breakers) {
            for (const each of ["closed", "open", "half-open"]) put(each === state ? 1 : 0, name, each);
          }
        }
      },
      Math.max,
    ),
  ];
}

function pollerLookups(watched: ReadonlySet<GaugeSources>, pollers: ReadonlySet<Polling>): Family[] {
  const all = (): Set<Polling> => {
    const found = new Set(pollers);
    for (const { controllers } of watched) {
      for (const { controller } of controllers) {
        const { from, watches = [] } = controller.options;
        for (const source of [from, ...watches.map((watch) => watch.from)])
          if (isPolling(source)) found.add(source);
      }
    }
    return found;
  };
  const look = (
    name: string,
    help: string,
    each: Look<PollStats & { readonly source: string }>,
    type: "counter" | "gauge" = "counter",
    labels: readonly string[] = ["source"],
    merge?: (one: number, other: number) => number,
  ): Family =>
    lookedUp(
      type,
      name,
      help,
      labels,
      (put) => {
        for (const poller of all()) each({ ...poller.stats(), source: poller.name }, put);
      },
      merge,
    );
  return [
    look("fettle_watch_loop_iterations_total", "Polls of a source.", ({ iterations, source }, put) =>
      put(iterations, source),
    ),
    look(
      "fettle_watch_changes_detected_total",
      "Changes found by polls.",
      ({ changesDetected, source }, put) => put(changesDetected, source),
    ),
    look(
      "fettle_watch_events_published_total",
      "Changes delivered, counted once per subscriber.",
      ({ eventsPublished, source }, put) => {
        for (const [type, count] of Object.entries(eventsPublished)) put(count, source, type);
      },
      "counter",
      ["source", "type"],
    ),
    look(
      "fettle_watch_cache_hit_ratio",
      "Share of listed objects that had not changed.",
      ({ cacheHitRatio, source }, put) => put(cacheHitRatio, source),
      "gauge",
      ["source"],
      Math.min,
    ),
    look(
      "fettle_watch_average_poll_duration_seconds",
      "Average duration of a poll.",
      ({ averageDuration, source }, put) => put(averageDuration / 1000, source),
      "gauge",
      ["source"],
      Math.max,
    ),
    look(
      "fettle_watch_poll_seconds_total",
      "Total duration of polls.",
      ({ averageDuration, iterations, source }, put) => put((averageDuration * iterations) / 1000, source),
    ),
    look("fettle_watch_poll_errors_total", "Failed polls.", ({ errors, source }, put) => put(errors, source)),
  ];
}

function isPolling(source: unknown): source is Polling {
  return (
    typeof source === "object" && source !== null && "stats" in source && typeof source.stats === "function"
  );
}
