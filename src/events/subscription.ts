import { duration } from "../model/core.js";
import { patternParts } from "../model/cloud-events/event-pattern.js";
import type { EventHandler, EventSubscription, HandleEvent } from "./handler.js";

/** Argument of {@link subscription}. */
export interface SubscriptionDescription extends Partial<
  Omit<EventSubscription, "name" | "on" | "handle" | "canHandle">
> {
  readonly name: string;
  /** Pattern of event types, such as `io.example.device.**`, or several. Default: all events. */
  readonly on?: string | readonly string[] | undefined;
  readonly canHandle?: EventHandler["canHandle"];
  readonly handle: HandleEvent;
}

/** Results of {@link subscription}, which need no second check. */
const checked = new WeakSet<object>();

/**
 * Defines a subscription to events, for `controlPlane({ subscriptions })`, an operator, or a module of `fettle up`.
 *
 * @example
 * export const audit = subscription({
 *   name: "audit",
 *   on: "**.deleted",
 *   durable: true,
 *   handle: async (event) => await appendFile("audit.log", `${JSON.stringify(event)}\n`),
 * });
 *
 * @throws {EventPatternError} @throws {RangeError}
 */
export function subscription(description: SubscriptionDescription | EventSubscription): EventSubscription {
  if (checked.has(description)) return description as EventSubscription;
  const { name, on = "**", durable = false, start = "new", handle, canHandle, ...rest } = description;
  if (!/^[a-z0-9][a-z0-9.-]{0,62}$/.test(name)) {
    throw new RangeError(
      `${JSON.stringify(name)} is not a name for a subscription: use up to 63 lower-case letters, digits, - and dots`,
    );
  }
  if (typeof handle !== "function") throw new TypeError(`subscription ${name} has no handle function`);
  const patterns = typeof on === "string" ? [on] : on;
  if (patterns.length === 0)
    throw new RangeError(`subscription ${name} has no patterns: it would get no events`);
  for (const pattern of patterns) patternParts(pattern);
  const { timeout = 1, retryDelay = 0, retries = 0, concurrency = 1 } = rest;
  if (!(duration(timeout) > 0))
    throw new RangeError(`subscription ${name}: the timeout must be longer than 0`);
  duration(retryDelay);
  if (!Number.isInteger(retries) || retries < 0) {
    throw new RangeError(`subscription ${name}: retries must be an integer from 0, not ${retries}`);
  }
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(`subscription ${name}: concurrency must be an integer from 1, not ${concurrency}`);
  }
  const added: EventSubscription = {
    ...rest,
    name,
    on: patterns,
    durable,
    start,
    ...(canHandle !== undefined && { canHandle: (event) => canHandle.call(description, event) }),
    // A description may be an instance of a class.
    handle: (event, context) => handle.call(description, event, context),
  };
  checked.add(added);
  return added;
}

/** Tests for a subscription by its shape, since another copy of this package may have made it. */
export function isSubscription(value: object): value is EventSubscription {
  const { name, on, durable, handle } = value as Partial<EventSubscription>;
  return (
    typeof name === "string" &&
    Array.isArray(on) &&
    typeof durable === "boolean" &&
    typeof handle === "function"
  );
}
