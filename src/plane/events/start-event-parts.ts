import type { Client } from "../../client/client.js";
import type { RunningEvents } from "../../events/create-events.js";
import { startPipeline } from "../../events/pipeline/start-pipeline.js";
import { loadPlugins, type PluginsOptions } from "../../events/plugins/load-plugins.js";
import { startPlugins, type PluginHealthCheck } from "../../events/plugins/start-plugins.js";
import { sinkOf } from "../../events/sinks/sink-of.js";
import type { State } from "../../events/state/state.js";
import { EventTypes } from "../../events/types/event-types.js";
import type { Clock } from "../../model/core.js";
import type { EventSubscription } from "../../events/handler.js";
import type { Breakers } from "../../runtime/breaker/breakers.js";
import type { Log } from "../../runtime/log/log.js";
import type { Family } from "../../runtime/observe/metrics/family.js";
import { substituteVariables } from "../config/substitute.js";
import type { EventPartsOptions } from "./event-parts-options.js";

interface EventPartsServices {
  readonly events: RunningEvents;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly breakers: Breakers;
  readonly state: State;
  readonly version?: string | undefined;
  /** If it is there, the time of handlers is measured elsewhere, under the same name. */
  readonly performance?: object | undefined;
}

/** Starts pipeline, sinks and plugins, and subscribes them to events. */
export async function startEventParts(
  { pipeline, handlers, eventTypes, sinks = [], plugins = [] }: EventPartsOptions,
  services: EventPartsServices,
  onStop: (stop: () => Promise<void>) => void,
): Promise<{ readonly healthChecks: readonly PluginHealthCheck[]; readonly families: readonly Family[] }> {
  const { events, clock, log, state, breakers, client, version } = services;
  const emit = events.emit.bind(events);
  const subscribe = (subscription: EventSubscription): void => {
    const active = events.subscribe(subscription);
    onStop(() => active.stop());
  };
  const isInstalled = (list: typeof plugins): list is PluginsOptions => !Array.isArray(list);
  const substitute = (text: string): string => substituteVariables(text, process.env).text;
  const running = await startPlugins(isInstalled(plugins) ? loadPlugins(plugins, { substitute }) : plugins, {
    clock,
    log,
    emit,
    state,
  });
  // Parts stop in reverse order: subscriptions before the parts that they deliver to.
  onStop(() => running.stop());
  for (const each of sinks) {
    const sink = await sinkOf(each, { clock, breakers });
    onStop(() => sink.close());
    subscribe(sink.subscription);
  }
  const types = new EventTypes(eventTypes);
  const observeTime = services.performance === undefined ? undefined : (): void => {};
  const started =
    pipeline &&
    (await startPipeline(pipeline, {
      clock,
      log,
      emit,
      state,
      client,
      types,
      handlers,
      version,
      observeTime,
    }));
  if (started !== undefined) {
    onStop(() => started.stop());
    subscribe(started.subscription);
  }
  for (const each of running.subscriptions) subscribe(each);
  return { healthChecks: running.healthChecks, families: started?.families() ?? [] };
}
