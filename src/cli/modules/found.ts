import { isOperator, type OperatorDefinition } from "../../plane/operators/define-operator.js";
import type { Resource } from "../../model/resource/resource-types.js";
import type { Controller } from "../../runtime/controller/controller.js";
import type { EventSubscription } from "../../events/handler.js";
import { isKindEvents, type KindEvents } from "../../events/object/event-naming.js";
import { isPipelineHandler, type PipelineHandler } from "../../events/pipeline/pipeline-handler.js";
import { isPlugin, type PluginDefinition } from "../../events/plugins/define-plugin.js";
import { isEventType, type EventTypeDefinition } from "../../events/types/event-type.js";
import { isSubscription } from "../../events/subscription.js";
import type { Schedule } from "../../runtime/schedule/schedule.js";

/** What modules have to offer to a control plane, each once. */
export interface ModuleExports {
  readonly controllers: readonly Controller[];
  readonly schedules: readonly Schedule[];
  readonly kinds: readonly Resource[];
  readonly operators: readonly OperatorDefinition[];
  readonly subscriptions: readonly EventSubscription[];
  /** Types of events about objects, made by `eventsOf()`. */
  readonly events: readonly KindEvents[];
  /** Handlers that stages of the event pipeline can name. */
  readonly handlers: readonly PipelineHandler[];
  readonly plugins: readonly PluginDefinition[];
  /** Event types with schemas, made by `eventType()`. */
  readonly eventTypes: readonly EventTypeDefinition[];
}

/**
 * Finds the controllers, schedules, kinds, operators and parts for events among the exports of a module, under any name and in arrays.
 * They are recognised by their shape, since the module may have another copy of this package. Functions are not called.
 */
export function findIn(exports: Readonly<Record<string, unknown>>): ModuleExports {
  const controllers = new Set<Controller>();
  const schedules = new Set<Schedule>();
  const kinds = new Set<Resource>();
  const operators = new Set<OperatorDefinition>();
  const subscriptions = new Set<EventSubscription>();
  const events = new Set<KindEvents>();
  const handlers = new Set<PipelineHandler>();
  const plugins = new Set<PluginDefinition>();
  const eventTypes = new Set<EventTypeDefinition>();
  const look = (value: unknown, depth = 0): void => {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value) && depth < 4) for (const item of value) look(item, depth + 1);
    else if (isController(value)) controllers.add(value);
    else if (isSchedule(value)) schedules.add(value);
    else if (isKind(value)) kinds.add(value);
    else if (isOperator(value)) operators.add(value);
    else if (isSubscription(value)) subscriptions.add(value);
    else if (isKindEvents(value)) events.add(value);
    else if (isPlugin(value)) plugins.add(value);
    else if (isEventType(value)) eventTypes.add(value);
    else if (isPipelineHandler(value)) handlers.add(value);
  };
  for (const value of Object.values(exports)) look(value);
  return {
    controllers: [...controllers],
    schedules: [...schedules],
    kinds: [...kinds],
    operators: [...operators],
    subscriptions: [...subscriptions],
    events: [...events],
    handlers: [...handlers],
    plugins: [...plugins],
    eventTypes: [...eventTypes],
  };
}

function isController(value: object): value is Controller {
  const { name, options, style } = value as Partial<Controller>;
  return (
    typeof name === "string" &&
    isObject(options) &&
    isObject(options.for) &&
    isObject(style) &&
    (style.type === "declarative" || style.type === "plain")
  );
}

function isSchedule(value: object): value is Schedule {
  const { name, timing, work } = value as Partial<Schedule>;
  return typeof name === "string" && isObject(timing) && isObject(work);
}

function isKind(value: object): value is Resource {
  const { apiVersion, kind, plural, versions } = value as Partial<Resource>;
  return (
    typeof apiVersion === "string" &&
    typeof kind === "string" &&
    typeof plural === "string" &&
    Array.isArray(versions)
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
