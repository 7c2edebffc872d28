import { objectWatches } from "../../controller/event-watch.js";
import type { Informers, InformerState } from "../../../client/informer/informers.js";
import type { PollStats } from "../../../client/polling/stats.js";
import type { Clock } from "../../../model/core.js";
import type { Breakers } from "../../breaker/breakers.js";
import type { CommonOptions } from "../../controller/controller.js";
import type { TypedKind } from "../../controller/reconcile-context.js";
import type { WorkQueue } from "../../queue/work-queue.js";
import type { Trigger } from "../../runs/run.js";
import { computedFamily, type Family, type AddSample } from "./family.js";

/** A poller with statistics. */
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
export interface Watched {
  readonly clock: Clock;
  readonly controllers: readonly ObservedController[];
  readonly informers: Informers;
  readonly breakers: Breakers;
  /** Name of the Lease, and the state of its election. */
  readonly election?:
    | { readonly name: string; readonly election: { readonly isLeader: boolean } }
    | undefined;
  /** Name of the Lease with the owners of the shards, and the state of the sharding. */
  readonly sharding?:
    | {
        readonly name: string;
        readonly sharding: { readonly shards: number; readonly owned: number; readonly members: number };
      }
    | undefined;
}

type Compute<T> = (each: T, addSample: AddSample) => void;
type AddsOf = (controller: string, depth: number) => number;

/** Metrics whose values are read from running controllers on demand. */
export function computedFamilies(
  watched: ReadonlySet<Watched>,
  pollers: ReadonlySet<Polling>,
  adds: AddsOf,
): readonly Family[] {
  return [
    ...controllerFamilies(watched, adds),
    ...informerFamilies(watched),
    ...breakerFamilies(watched),
    ...pollerFamilies(watched, pollers),
    computedFamily(
      "gauge",
      "leader_election_master_status",
      "1 if this process is the leader.",
      ["name"],
      (addSample) => {
        for (const { election } of watched) {
          if (election !== undefined) addSample(election.election.isLeader ? 1 : 0, election.name);
        }
      },
      Math.max,
    ),
    ...shardFamilies(watched),
  ];
}

function shardFamilies(watched: ReadonlySet<Watched>): Family[] {
  const family = (
    name: string,
    help: string,
    value: (sharding: NonNullable<Watched["sharding"]>["sharding"]) => number,
  ): Family =>
    computedFamily(
      "gauge",
      name,
      help,
      ["name"],
      (addSample) => {
        for (const { sharding } of watched) if (sharding) addSample(value(sharding.sharding), sharding.name);
      },
      Math.max,
    );
  return [
    family("fettle_shards", "Number of shards.", ({ shards }) => shards),
    family("fettle_shards_owned", "Shards owned by this process.", ({ owned }) => owned),
    family(
      "fettle_shard_members",
      "Processes that share the shards, as far as this one knows.",
      (each) => each.members,
    ),
  ];
}

function controllerFamilies(watched: ReadonlySet<Watched>, adds: AddsOf): Family[] {
  const family = (
    name: string,
    help: string,
    labels: readonly string[],
    each: (handle: ObservedController, addSample: AddSample, clock: Clock) => void,
    type: "counter" | "gauge" = "gauge",
  ): Family =>
    computedFamily(type, name, help, labels, (addSample) => {
      for (const { controllers, clock } of watched)
        for (const handle of controllers) each(handle, addSample, clock);
    });
  const controller = ["controller"];
  const queue = ["name", "controller"];
  const runningFor = ({ loop }: ObservedController, clock: Clock): number[] => {
    const now = clock.now();
    return loop?.queue.runningKeys().map(({ taken }) => Math.max(0, now - taken) / 1000) ?? [];
  };
  return [
    family(
      "controller_runtime_max_concurrent_reconciles",
      "Maximum number of concurrent runs.",
      controller,
      ({ name, concurrency }, addSample) => addSample(concurrency, name),
    ),
    family("controller_runtime_active_workers", "Active runs.", controller, ({ name, loop }, addSample) =>
      addSample(loop?.active ?? 0, name),
    ),
    family("workqueue_depth", "Objects waiting for a worker.", queue, ({ name, loop }, addSample) =>
      addSample(loop?.queue.depth ?? 0, name, name),
    ),
    family(
      "workqueue_adds_total",
      "Objects added to the queue.",
      queue,
      ({ name, loop }, addSample) => addSample(adds(name, loop?.queue.depth ?? 0), name, name),
      "counter",
    ),
    family(
      "workqueue_unfinished_work_seconds",
      "Total duration of active runs so far.",
      queue,
      (handle, addSample, clock) =>
        addSample(
          runningFor(handle, clock).reduce((sum, each) => sum + each, 0),
          handle.name,
          handle.name,
        ),
    ),
    family(
      "workqueue_longest_running_processor_seconds",
      "Duration of the longest active run so far.",
      queue,
      (handle, addSample, clock) =>
        addSample(Math.max(0, ...runningFor(handle, clock)), handle.name, handle.name),
    ),
    family(
      "fettle_queue_delayed",
      "Objects that are not due yet, or wait for their batch.",
      controller,
      ({ name, loop }, addSample) => addSample(loop?.queue.delayed ?? 0, name),
    ),
    family("fettle_dead_letters", "Objects whose retries are used up.", controller, (handle, addSample) =>
      addSample(handle.dead().length, handle.name),
    ),
    family("fettle_paused", "1 if the controller is paused.", controller, (handle, addSample) =>
      addSample(handle.isPaused() ? 1 : 0, handle.name),
    ),
    family(
      "fettle_paused_objects",
      "Objects paused by name.",
      controller,
      ({ name, pausedObjects }, addSample) => addSample(pausedObjects, name),
    ),
    family(
      "fettle_lingering_runs",
      "Functions that ignore that their run was cancelled.",
      controller,
      ({ name, loop }, addSample) => addSample(loop?.lingering ?? 0, name),
    ),
  ];
}

function informerFamilies(watched: ReadonlySet<Watched>): Family[] {
  const labels = ["kind", "namespace", "selector"];
  const family = (
    name: string,
    help: string,
    value: (state: InformerState) => number | undefined,
    type: "counter" | "gauge" = "gauge",
    merge?: (one: number, other: number) => number,
  ): Family =>
    computedFamily(
      type,
      name,
      help,
      labels,
      (addSample) => {
        for (const { informers } of watched) {
          for (const state of informers.states()) {
            const { kind, scope } = state;
            const selector = [scope.labelSelector, scope.fieldSelector].filter(Boolean).join(";");
            const number = value(state);
            if (number !== undefined)
              addSample(number, `${kind.apiVersion}/${kind.kind}`, scope.namespace ?? "", selector);
          }
        }
      },
      merge,
    );
  return [
    family("fettle_informer_objects", "Objects in the cache.", ({ size }) => size),
    family(
      "fettle_informer_synced",
      "1 if the first list is complete.",
      ({ synced }) => (synced ? 1 : 0),
      "gauge",
      Math.min,
    ),
    family("fettle_informer_users", "Users of the cache.", ({ users }) => users),
    family("fettle_informer_lists_total", "Lists, including repeated ones.", ({ lists }) => lists, "counter"),
    family(
      "fettle_informer_relists_total",
      "Repeated lists.",
      ({ lists }) => Math.max(0, lists - 1),
      "counter",
    ),
    family("fettle_informer_watches_total", "Watches started.", ({ watches }) => watches, "counter"),
    family(
      "fettle_informer_errors_total",
      "Lists and watches that failed.",
      ({ errors }) => errors,
      "counter",
    ),
    family(
      "fettle_informer_last_event_timestamp_seconds",
      "Time of the last event or bookmark, in seconds since 1970.",
      ({ lastEventAt }) => (lastEventAt === undefined ? undefined : lastEventAt / 1000),
      "gauge",
      Math.max,
    ),
  ];
}

function breakerFamilies(watched: ReadonlySet<Watched>): Family[] {
  return [
    computedFamily(
      "gauge",
      "fettle_breaker_state",
      "State of a circuit breaker: 1 for the current state, 0 for others.",
      ["breaker", "state"],
      (addSample) => {
        const all = new Set([...watched].map(({ breakers }) => breakers));
        for (const breakers of all) {
          for (const { name, state } of breakers) {
            for (const each of ["closed", "open", "half-open"]) addSample(each === state ? 1 : 0, name, each);
          }
        }
      },
      Math.max,
    ),
  ];
}

function pollerFamilies(watched: ReadonlySet<Watched>, pollers: ReadonlySet<Polling>): Family[] {
  const all = (): Set<Polling> => {
    const found = new Set(pollers);
    for (const { controllers } of watched) {
      for (const { controller } of controllers) {
        const { from, watches } = controller.options;
        for (const source of [from, ...objectWatches(watches).map((watch) => watch.from)])
          if (isPolling(source)) found.add(source);
      }
    }
    return found;
  };
  const family = (
    name: string,
    help: string,
    each: Compute<PollStats & { readonly source: string }>,
    type: "counter" | "gauge" = "counter",
    labels: readonly string[] = ["source"],
    merge?: (one: number, other: number) => number,
  ): Family =>
    computedFamily(
      type,
      name,
      help,
      labels,
      (addSample) => {
        for (const poller of all()) each({ ...poller.stats(), source: poller.name }, addSample);
      },
      merge,
    );
  return [
    family("fettle_watch_loop_iterations_total", "Polls of a source.", ({ iterations, source }, addSample) =>
      addSample(iterations, source),
    ),
    family(
      "fettle_watch_changes_detected_total",
      "Changes found by polls.",
      ({ changesDetected, source }, addSample) => addSample(changesDetected, source),
    ),
    family(
      "fettle_watch_events_published_total",
      "Changes delivered to subscribers, counted per subscriber.",
      ({ eventsPublished, source }, addSample) => {
        for (const [type, count] of Object.entries(eventsPublished)) addSample(count, source, type);
      },
      "counter",
      ["source", "type"],
    ),
    family(
      "fettle_watch_cache_hit_ratio",
      "Share of listed objects that had not changed.",
      ({ cacheHitRatio, source }, addSample) => addSample(cacheHitRatio, source),
      "gauge",
      ["source"],
      Math.min,
    ),
    family(
      "fettle_watch_average_poll_duration_seconds",
      "Average duration of a poll.",
      ({ averageDuration, source }, addSample) => addSample(averageDuration / 1000, source),
      "gauge",
      ["source"],
      Math.max,
    ),
    family(
      "fettle_watch_poll_seconds_total",
      "Total duration of polls.",
      ({ averageDuration, iterations, source }, addSample) =>
        addSample((averageDuration * iterations) / 1000, source),
    ),
    family("fettle_watch_poll_errors_total", "Failed polls.", ({ errors, source }, addSample) =>
      addSample(errors, source),
    ),
  ];
}

function isPolling(source: unknown): source is Polling {
  return (
    typeof source === "object" && source !== null && "stats" in source && typeof source.stats === "function"
  );
}
