import { newUid, systemClock, systemRandom, type Clock, type Random } from "../model/core.js";
import type { CloudEvent, EventInput } from "../model/cloud-events/cloud-event.js";

/** A malformed event. */
export class InvalidEvent extends Error {
  override readonly name = "InvalidEvent";
}

/** An event that was caused by too long a chain of events, which is a cycle: handlers that emit events for each other. */
export class EventCycleError extends Error {
  override readonly name = "EventCycleError";
}

/** Longest chain of events that cause each other. */
export const maxHops = 16;
export const defaultSource = "/fettle";

export interface CreateEventOptions {
  readonly source?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

const typePattern = /^[\w-]+(?:\.[\w-]+)*$/;
const maxTypeLength = 200;
const maxAttributeLength = 2048;
const attributeName = /^[a-z0-9]{1,20}$/;
// oxlint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Creates an event: adds id, source and time.
 *
 * @example
 * createEvent({ type: "io.example.device.started", subject: "dev-123", data: { watts: 7 } });
 *
 * @throws {InvalidEvent}
 */
export function createEvent<T>(input: EventInput<T>, options: CreateEventOptions = {}): CloudEvent<T> {
  const { source = defaultSource, clock = systemClock, random = systemRandom } = options;
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const event = {
    specversion: "1.0",
    id: newUid(random),
    source,
    time: new Date(clock.now()).toISOString(),
    ...(input.data !== undefined && { datacontenttype: "application/json" }),
    ...given,
  } as unknown as CloudEvent<T>;
  checkEvent(event);
  return event;
}

/**
 * Checks the attributes of an event by the rules of CloudEvents, and ours: the type consists of names separated by dots.
 *
 * @throws {InvalidEvent}
 */
export function checkEvent(event: CloudEvent): void {
  const { specversion, type, data: _, ...attributes } = event;
  if (specversion !== "1.0")
    throw new InvalidEvent(`specversion must be "1.0", not ${JSON.stringify(specversion)}`);
  if (typeof type !== "string" || type.length > maxTypeLength || !typePattern.test(type)) {
    throw new InvalidEvent(
      `${shown(type)} is not a type of events: use names of letters, digits, _ and -, separated by dots, at most ${maxTypeLength} characters`,
    );
  }
  for (const required of ["id", "source"] as const) {
    if (typeof event[required] !== "string" || event[required] === "")
      throw new InvalidEvent(`${required} must be text that is not empty`);
  }
  if (typeof event.time !== "string" || Number.isNaN(Date.parse(event.time))) {
    throw new InvalidEvent(`time must be a time such as 2026-01-31T12:00:00Z, not ${shown(event.time)}`);
  }
  for (const [name, value] of Object.entries(attributes)) checkAttribute(name, value);
  for (const name of textAttributes) checkType(event, name, "string");
  for (const name of booleanAttributes) checkType(event, name, "boolean");
  checkType(event, "hops", "number");
  if ((event.hops ?? 0) < 0) throw new InvalidEvent(`attribute hops must not be negative, not ${event.hops}`);
}

/** Attributes that are read: producers outside could send any type, which the readers do not expect. */
const textAttributes = [
  "subject",
  "datacontenttype",
  "dataschema",
  "objectapiversion",
  "objectkind",
  "objectnamespace",
  "objectname",
  "objectuid",
  "revision",
  "cause",
  "traceparent",
];
const booleanAttributes = ["resync"];
const typeNames = { string: "text", boolean: "a boolean", number: "an integer" } as const;

function checkType(event: CloudEvent, name: string, type: keyof typeof typeNames): void {
  const value = event[name];
  if (value === undefined || typeof value === type) return;
  throw new InvalidEvent(`attribute ${name} must be ${typeNames[type]}, not ${shown(value)}`);
}

function checkAttribute(name: string, value: unknown): void {
  if (!attributeName.test(name)) {
    throw new InvalidEvent(
      `${shown(name)} is not a name of an attribute: use up to 20 lower-case letters and digits, or put it into data`,
    );
  }
  switch (typeof value) {
    case "undefined":
    case "boolean":
      return;
    case "number":
      if (Number.isInteger(value) && Math.abs(value) < 2 ** 31) return;
      throw new InvalidEvent(`attribute ${name} must be an integer of 32 bits, or text`);
    case "string":
      if (value.length > maxAttributeLength) {
        throw new InvalidEvent(
          `attribute ${name} has ${value.length} characters; ${maxAttributeLength} are allowed: put it into data`,
        );
      }
      if (controlCharacter.test(value)) throw new InvalidEvent(`attribute ${name} has control characters`);
      return;
    default:
      throw new InvalidEvent(
        `attribute ${name} must be text, an integer or a boolean: put other values into data`,
      );
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/**
 * The same input with its cause.
 *
 * @throws {EventCycleError}
 */
export function causedBy<T>(input: EventInput<T>, cause: CloudEvent): EventInput<T> {
  const hops = (cause.hops ?? 0) + 1;
  const event = { ...input, hops, cause: cause.id };
  if (hops > maxHops) throw cycleError(event);
  return event;
}

export function cycleError({ type, hops, cause }: EventInput): EventCycleError {
  return new EventCycleError(
    `${type} was not emitted: it is the last of ${String(hops)} events that caused each other, the one before is ${String(cause)}; handlers or reconcilers emit events for each other`,
  );
}
