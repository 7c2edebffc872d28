import { setTimeout as pause } from "node:timers/promises";
import type { Client, ObjectRef } from "../client/client.js";
import { createClient } from "../client/create-client.js";
import type { AnyKind, ObjectOf } from "../client/kinds/kind.js";
import { Event } from "../client/kinds/kubernetes.js";
import { targetOf } from "../client/object-ref.js";
import { memoryState } from "../events/state/memory-state.js";
import { openState } from "../events/state/open-state.js";
import type { State } from "../events/state/state.js";
import { duration, systemRandom, VirtualClock, type Clock, type Duration } from "../model/core.js";
import type { Resource } from "../model/resource/resource-types.js";
import { applyManifests, type Applied } from "../plane/apply-manifests.js";
import { kindsOf } from "../plane/definitions/kinds-of.js";
import { PatternIndex } from "../model/cloud-events/pattern-index.js";
import type { CloudEvent } from "../model/cloud-events/cloud-event.js";
import type { Events } from "../events/events.js";
import type { EventSubscription } from "../events/handler.js";
import { eventFeed } from "../plane/events/event-feed.js";
import {
  emitPolled,
  emitRuns,
  startEvents,
  startSubscriptions,
  withOperatorKinds,
  type EventsOptions,
} from "../plane/events/start-events.js";
import { StoreEventLog } from "../plane/events/store-event-log.js";
import type { OperatorDefinition } from "../plane/operators/define-operator.js";
import { orderOperators } from "../plane/operators/order-operators.js";
import { startOperators } from "../plane/operators/start-operators.js";
import { startParts } from "../plane/start-parts.js";
import type { Controller } from "../runtime/controller/controller.js";
import { silent } from "../runtime/log/log.js";
import type { Run } from "../runtime/runs/run.js";
import {
  startControllers,
  type Controllers,
  type ControllersOptions,
} from "../runtime/start/start-controllers.js";
import type { Api } from "../server/index.js";
import { hooked } from "./api/calls.js";
import { Interception, type Interceptors } from "./api/interceptors.js";
import { startMemoryApi } from "./api/memory-api.js";
import type { TestObject } from "./api/put-objects.js";
import { pass, Turns, untilStill, type StillnessOptions } from "./time/stillness.js";
import { TestClock } from "./time/test-clock.js";
import { untilHolds } from "./until-holds.js";

export interface TestPlaneOptions extends Omit<
  ControllersOptions,
  "client" | "controllers" | "clock" | "events" | "publish"
> {
  readonly controllers?: readonly Controller[] | undefined;
  /** Operators to start, with those that they require. Their folders are temporary, and their extensions are not served. */
  readonly operators?: readonly OperatorDefinition[] | undefined;
  /** Kinds to serve in addition to those of operators, and those that the controllers reconcile, own or watch. */
  readonly kinds?: readonly Resource[] | undefined;
  /** Settings of CloudEvents. */
  readonly events?: EventsOptions | undefined;
  /** Handlers of events, made by `subscription()`. */
  readonly subscriptions?: readonly EventSubscription[] | undefined;
  /** Objects that exist before the controllers start, with status, in any namespace. */
  readonly objects?: readonly TestObject[] | undefined;
  /** Start time, or a clock. Default: virtual time that starts in 2026 and moves only by `advance`. */
  readonly clock?: Clock | string | undefined;
  /** Real time after which `until` and `settled` fail. Default 5 s. */
  readonly patience?: Duration | undefined;
}

/** Event that a controller recorded. */
export interface RecordedEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** Object of the event: `Site default/hello`. */
  readonly about: string;
}

/** Control plane for tests. */
export interface TestPlane extends AsyncDisposable {
  /** Client of the same API as the controllers; its requests are not intercepted. */
  readonly client: Client;
  readonly controllers: Controllers;
  readonly clock: Clock;
  readonly api: Api;
  /** State, in memory and with the virtual clock. Operators have theirs below `operators/NAME/`. */
  readonly state: State;
  /** Applies manifests: objects, or YAML or JSON text with any number of them. */
  readonly apply: (...manifests: readonly (string | object)[]) => Promise<readonly Applied[]>;
  /** Waits until a condition holds for an object; `undefined` stands for an object that does not exist. */
  readonly until: <K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    holds: (object: ObjectOf<K> | undefined) => boolean,
  ) => Promise<ObjectOf<K> | undefined>;
  /** Waits until no run is active or due, caches are up to date and garbage is collected. Does not move time. */
  readonly settled: () => Promise<void>;
  /** Moves time forward, from timer to timer; the work that each one causes ends before the next fires. */
  readonly advance: (time: Duration) => Promise<void>;
  /** Runs of an object, oldest first. */
  readonly runs: (kind: AnyKind, which: ObjectRef) => Promise<readonly Run[]>;
  /** CloudEvents of the plane: emit and subscribe. */
  readonly cloudEvents: Events;
  /** CloudEvents so far whose types match, oldest first. Default: all. */
  readonly eventsSoFar: (on?: string | readonly string[]) => Promise<readonly CloudEvent[]>;
  /** Events that controllers recorded, oldest first. */
  readonly events: () => Promise<readonly RecordedEvent[]>;
  /** Adds interceptors between the controllers and the API, for example faults; returns a function that removes them. */
  readonly intercept: (interceptors: Interceptors) => () => void;
}

/**
 * Starts a control plane in memory and in this process: the real API, the real runtime with your controllers, and virtual
 * time. It starts in milliseconds, and any number of them can run side by side, in any test runner.
 *
 * @example
 * await using plane = await testPlane({ controllers: [sites] });
 * await plane.client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
 * await plane.settled();
 * expect((await plane.client.get(Page, "hello-1")).spec.html).toContain("Hello");
 * await plane.advance("12h");
 * expect(await plane.runs(Site, "hello")).toHaveLength(2);
 */
export async function testPlane(options: TestPlaneOptions = {}): Promise<TestPlane> {
  const { operators = [], objects, random = systemRandom, patience = "5s", log = silent } = options;
  const clock = typeof options.clock === "object" ? options.clock : new TestClock(options.clock);
  const kinds = kindsOf(options.controllers ?? [], [
    ...orderOperators(operators).flatMap((operator) => operator.kinds),
    ...(options.kinds ?? []),
  ]);
  const memory = await startMemoryApi({ kinds, objects, clock, random });
  let happened = 0;
  let closed = false;
  const turns = new Turns();
  const interception = new Interception();
  const transport = hooked(interception.over(memory.transport), {
    call: async (_, next) => {
      happened++;
      await turns.take();
      try {
        return await next();
      } finally {
        happened++;
      }
    },
    async *watch(_, next) {
      for await (const batch of next()) {
        happened++;
        yield batch;
      }
    },
    close: async () => {},
  });
  const client = createClient({ transport: memory.transport, clock, random });
  const hookedClient = createClient({ transport, clock, random });
  const state = openState({ backend: memoryState({ clock }), clock, log });
  const started = await startParts(async (onStop) => {
    onStop(async () => memory[Symbol.asyncDispose]());
    onStop(async () => state[Symbol.asyncDispose]());
    const events = startEvents({
      options: withOperatorKinds(options),
      log: (settings) => new StoreEventLog(memory.store, { ...settings, clock }),
      clock,
      random,
      logger: log,
    });
    onStop(() => events.stop());
    const parts = await startOperators(operators, {
      data: undefined,
      events,
      clientFor: () => hookedClient,
      state,
      checkAccess: (attributes) => memory.api.pipeline.checkAccess(attributes),
      clock,
      log,
      onStop,
    });
    const known = new Set(kinds.map(({ plural, group }) => `${plural}.${group}`));
    const added = kindsOf(parts.controllers).filter(({ plural, group }) => !known.has(`${plural}.${group}`));
    await memory.addKinds(added);
    const feed = eventFeed(events, { clock, log });
    onStop(() => feed.stop());
    const working = startControllers({
      ...options,
      events: feed,
      publish: (emitted) => events.emitAll(emitted),
      controllers: [...(options.controllers ?? []), ...parts.controllers],
      schedules: [...(options.schedules ?? []), ...parts.schedules],
      client: hookedClient,
      clock,
      random,
    });
    for (const { name, check, ...how } of parts.healthChecks) working.health.check(name, check, how);
    await startSubscriptions(events, [...(options.subscriptions ?? []), ...parts.subscriptions], log);
    emitRuns(events, working.runs);
    emitPolled(events, [...(options.controllers ?? []), ...parts.controllers]);
    return { working, events };
  });
  const { working, events } = started;
  working.runs.follow(() => happened++);
  const still: StillnessOptions = { clock, life: () => happened + memory.revision() };
  const limit = duration(patience);
  const plane: TestPlane = {
    client,
    controllers: working,
    clock,
    api: memory.api,
    state,
    apply: (...manifests) => applyManifests(client, manifests),
    until: (kind, which, holds) => untilHolds(client, { kind, which, limit, isClosed: () => closed }, holds),
    settled: () => settle(),
    advance: (time) => pass(duration(time), still),
    async runs(kind, which) {
      const info = await client.kind(kind);
      const { namespace = "", name } = targetOf(info, which, client.namespace);
      return working.runs.find({ kind: info, key: namespace === "" ? name : `${namespace}/${name}` });
    },
    cloudEvents: events,
    async eventsSoFar(on = "**") {
      await untilStill(still);
      return readEvents(events, on);
    },
    async events() {
      await untilStill(still);
      const { items } = await client.list(Event);
      return items
        .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map(({ type, reason = "", message = "", count = 1, involvedObject: { kind = "", ...of } }) => ({
          type: type === "Warning" ? ("Warning" as const) : ("Normal" as const),
          reason,
          message,
          count,
          about: `${kind} ${of.namespace ? `${of.namespace}/` : ""}${of.name}`,
        }));
    },
    intercept: (interceptors) => interception.add(interceptors),
    async [Symbol.asyncDispose]() {
      closed = true;
      const stopped = working.stop();
      if (clock instanceof VirtualClock) await moveTimeUntilStopped(stopped, clock);
      await stopped;
      await started.stop();
    },
  };
  try {
    await working.ready();
  } catch (error) {
    await plane[Symbol.asyncDispose]();
    throw error;
  }
  return plane;

  async function settle(): Promise<void> {
    const began = Date.now();
    for (;;) {
      await untilStill(still);
      await memory.api.idle();
      const busy = working.all.filter((each) => !each.isIdle);
      const passing = working.schedules.filter((each) => each.busy);
      const handling = events.subscriptions().filter(({ waiting }) => waiting > 0);
      if (busy.length === 0 && passing.length === 0 && handling.length === 0) return;
      if (Date.now() - began > limit) {
        const names = [...busy, ...passing, ...handling].map(({ name }) => name).join(", ");
        throw new Error(
          `${names} did not settle: a run waits for time to pass (call advance()), or for something that never happens`,
        );
      }
      await pause(1);
    }
  }
}

/** Reads the log from its beginning. */
async function readEvents(events: Events, on: string | readonly string[]): Promise<readonly CloudEvent[]> {
  const end = await events.log.position();
  const patterns = new PatternIndex<true>();
  for (const pattern of typeof on === "string" ? [on] : on) patterns.add(pattern, true);
  const stop = new AbortController();
  const found: CloudEvent[] = [];
  for await (const batch of events.log.follow({ from: "0", patterns, signal: stop.signal })) {
    found.push(...batch.events);
    if (events.log.distance(batch.position, end) === 0) break;
  }
  stop.abort();
  return found;
}

/** Moves virtual time until the controllers have stopped, since stopping gives runs a grace period to end. */
async function moveTimeUntilStopped(stopped: Promise<void>, clock: VirtualClock): Promise<void> {
  let over = false;
  const ended = (): void => void (over = true);
  stopped.then(ended, ended);
  for (let turn = 0; turn < 1000; turn++) {
    await pause(0);
    if (over) return;
    if (turn > 20) await clock.step();
  }
}
