import type { z } from "zod";
import type { CloudEvent, EventInput } from "../../model/cloud-events/cloud-event.js";
import { EventPatternError, patternParts } from "../../model/cloud-events/event-pattern.js";

/** Attributes of an event besides its type and data. */
export type EventAttributes = Omit<EventInput, "type" | "data">;

/** A type of events with a schema for their data. Made by {@link eventType}. */
export interface EventTypeDefinition<T = unknown, Input = T> {
  readonly type: string;
  readonly schema: z.ZodType<T, Input>;
  /** Argument for `emit`, with data that the compiler has checked. */
  event(data: Input, attributes?: EventAttributes): EventInput<Input>;
  /** Tests that an event has this type, and data that the schema allows. */
  is(event: CloudEvent): event is CloudEvent<T>;
}

/**
 * Defines a type of events, with a schema for their data. The SchemaValidator of a pipeline checks events by it, and the compiler
 * checks data that are passed to its `event` function.
 *
 * @example
 * const DeviceStarted = eventType("io.example.device.started", z.object({ serial: z.string(), boot: z.number().int() }));
 * await plane.events.emit(DeviceStarted.event({ serial: "A-17", boot: 3 }));
 *
 * @throws {EventPatternError} for a malformed type.
 */
export function eventType<S extends z.ZodType>(
  type: string,
  schema: S,
): EventTypeDefinition<z.output<S>, z.input<S>> {
  if (patternParts(type).some((part) => part.startsWith("*"))) {
    throw new EventPatternError(`${JSON.stringify(type)} is a pattern: an event has one type, without *`);
  }
  return {
    type,
    schema: schema as z.ZodType<z.output<S>, z.input<S>>,
    event: (data, attributes = {}) => ({ ...attributes, type, data }),
    is: (event): event is CloudEvent<z.output<S>> =>
      event.type === type && schema.safeParse(event.data).success,
  };
}

/** Tests for an event type by its shape, since another copy of this package may have made it. */
export function isEventType(value: object): value is EventTypeDefinition {
  const { type, schema, event, is } = value as Partial<EventTypeDefinition>;
  return (
    typeof type === "string" &&
    typeof schema === "object" &&
    typeof event === "function" &&
    typeof is === "function"
  );
}
