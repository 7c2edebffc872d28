import { untilAborted } from "../../client/async/until-aborted.js";
import { eventBus, type EventBus } from "../../events/bus/event-bus.js";
import { causedBy, createEvent } from "../../events/create-event.js";
import type { EventHandler, EventSubscription } from "../../events/handler.js";
import type { DeadEvent } from "../../events/log/event-log.js";
import type { PipelineHandler, PipelineParts } from "../../events/pipeline/pipeline-handler.js";
import type { EventPipelineOptions } from "../../events/pipeline/pipeline-options.js";
import { startPipeline } from "../../events/pipeline/start-pipeline.js";
import type { PluginDefinition } from "../../events/plugins/define-plugin.js";
import {
  startPlugins,
  type PluginInstallation,
  type RunningPlugins,
} from "../../events/plugins/start-plugins.js";
import { memoryState } from "../../events/state/memory-state.js";
import { openState } from "../../events/state/open-state.js";
import type { State } from "../../events/state/state.js";
import { subscription, type SubscriptionDescription } from "../../events/subscription.js";
import { EventTypes } from "../../events/types/event-types.js";
import type { EventTypeDefinition } from "../../events/types/event-type.js";
import { duration, type Duration } from "../../model/core.js";
import type { CloudEvent, EventInput } from "../../model/cloud-events/cloud-event.js";
import { silent, type Log } from "../../runtime/log/log.js";
import { TestClock } from "../time/test-clock.js";

export interface TestEventsOptions {
  /** Handlers to subscribe to all events that they can handle. */
  readonly handlers?: readonly EventHandler[] | undefined;
  readonly subscriptions?: readonly (SubscriptionDescription | EventSubscription)[] | undefined;
  readonly pipeline?: EventPipelineOptions | undefined;
  /** Handlers that stages of the pipeline name. */
  readonly pipelineHandlers?: readonly PipelineHandler[] | undefined;
  /** Event types with schemas. */
  readonly types?: readonly EventTypeDefinition[] | undefined;
  readonly plugins?: readonly (PluginDefinition | PluginInstallation)[] | undefined;
  /** Client for the ContextBuilder of the pipeline. */
  readonly client?: PipelineParts["client"];
  /** Start of virtual time. Default: 2026. */
  readonly clock?: string | undefined;
  readonly log?: Log | undefined;
}

/** Outcome of a delivery. */
export interface DeliveryOutcome {
  readonly event: CloudEvent;
  /** Events that were emitted meanwhile, in order. */
  readonly emitted: readonly CloudEvent[];
  /** Events that could not be handled, with the reason. */
  readonly dead: readonly DeadEvent[];
}

/** Events for tests, in memory and in virtual time. Made by {@link testEvents}. */
export interface TestEvents extends AsyncDisposable {
  readonly clock: TestClock;
  /** Delivers an event and waits until all handlers are done with it, and with the events they emit. Time moves between attempts. */
  deliver(event: EventInput): Promise<DeliveryOutcome>;
  /** Moves time forward, and waits for handlers. */
  advance(time: Duration): Promise<void>;
  /** All events that handlers and plugins have emitted. */
  readonly emitted: readonly CloudEvent[];
  readonly dead: readonly DeadEvent[];
  /** State of plugins and handlers. */
  readonly state: State;
  readonly plugins: RunningPlugins;
}

/**
 * Starts handlers, a pipeline and plugins on an event bus in memory, in virtual time.
 *
 * @example
 * await using events = await testEvents({ handlers: [new ConfigUpdateHandler(nginx)] });
 * const { dead } = await events.deliver({ type: "config.updated", data: { configuration } });
 * expect(dead).toEqual([]);
 */
export async function testEvents(options: TestEventsOptions = {}): Promise<TestEvents> {
  const { log = silent, client, types = [] } = options;
  const clock = new TestClock(options.clock);
  const state = openState({ backend: memoryState({ clock }), clock, log });
  const emitted: CloudEvent[] = [];
  const publish = async (input: EventInput): Promise<CloudEvent> => {
    const event = createEvent(input, { clock, source: "/test" });
    // As in a log, an event with the id and source of an earlier one is the same.
    const known = emitted.find(({ id, source }) => id === event.id && source === event.source);
    if (known !== undefined) return known;
    emitted.push(event);
    void bus.publish(event);
    return event;
  };
  const bus = eventBus({ clock, log, emit: (event, cause) => publish(causedBy(event, cause)) });
  const calls = new HandlerCalls();
  const subscribe = (each: EventSubscription): void => void bus.subscribe(calls.counted(each));
  const plugins = await startPlugins(options.plugins ?? [], { clock, log, emit: publish, state });
  const pipeline =
    options.pipeline &&
    (await startPipeline(options.pipeline, {
      clock,
      log,
      state,
      emit: publish,
      client,
      types: new EventTypes(types),
      handlers: options.pipelineHandlers,
    }));
  for (const each of [...(options.subscriptions ?? []), ...(pipeline ? [pipeline.subscription] : [])]) {
    subscribe(subscription(each));
  }
  for (const each of plugins.subscriptions) subscribe(each);
  for (const [index, handler] of (options.handlers ?? []).entries()) {
    subscribe(subscription(descriptionOf(handler, index)));
  }
  return {
    clock,
    emitted,
    state,
    plugins,
    get dead() {
      return bus.dead();
    },
    async deliver(input) {
      const event = createEvent(input, { clock, source: "/test" });
      const before = { emitted: emitted.length, dead: bus.dead().length };
      void bus.publish(event);
      await settle(bus, calls, clock);
      return { event, emitted: emitted.slice(before.emitted), dead: bus.dead().slice(before.dead) };
    },
    async advance(time) {
      await clock.advance(duration(time));
      await settle(bus, calls, clock);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([bus.stop(0), clock.advance(0)]);
      await pipeline?.stop();
      await plugins.stop();
      await state[Symbol.asyncDispose]();
    },
  };
}

/** Calls of handlers at work, so that time stands still while one waits for something real. */
class HandlerCalls {
  running = 0;
  #wake: (() => void)[] = [];

  counted(each: EventSubscription): EventSubscription {
    return {
      ...each,
      handle: async (event, context) => {
        this.running++;
        try {
          // A handler whose time is up is not waited for, as in a control plane.
          return await untilAborted(Promise.resolve(each.handle(event, context)), context.signal);
        } finally {
          this.running--;
          for (const wake of this.#wake.splice(0)) wake();
        }
      },
    };
  }

  ended(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }
}

async function settle(bus: EventBus, calls: HandlerCalls, clock: TestClock): Promise<void> {
  while (bus.size > 0) {
    if (calls.running > 0) await calls.ended();
    // Only handlers that wait for their next attempt are left.
    else if (!(await clock.step())) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Subscription of a handler, whose name may have other characters. */
function descriptionOf(handler: EventHandler, index: number): SubscriptionDescription {
  const name = `handler-${index + 1}-${handler.name.toLowerCase().replaceAll(/[^a-z0-9.-]/g, "-")}`.slice(
    0,
    63,
  );
  return {
    name,
    handle: (event, context) => handler.handle(event, context),
    canHandle: (event) => handler.canHandle?.(event) ?? true,
  };
}
