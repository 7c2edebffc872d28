import { createHash } from "node:crypto";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import type { DeadEvent, SubscriptionCursor } from "../../events/log/event-log.js";
import type { Entry } from "../../store/index.js";

/** Prefixes of keys in the store. No API group can have this name, since it has no dot. */
export const eventPrefix = "/fettle/events/";
export const cursorPrefix = "/fettle/subscriptions/";
export const deadPrefix = "/fettle/dead-events/";

const encoder = new TextEncoder();

/** Key of an event; the same for the same event, so that it is stored once. */
export function eventKey({ source, id }: CloudEvent): string {
  return eventPrefix + digest(`${source}\0${id}`);
}

export function deadKey({ subscription, event: { source, id } }: DeadEvent): string {
  return `${deadPrefix}${subscription}/${digest(`${source}\0${id}`)}`;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 27);
}

export function encodeJson(value: CloudEvent | DeadEvent | SubscriptionCursor): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

export function decodeJson({ value }: Pick<Entry, "value">): unknown {
  try {
    return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()) as unknown;
  } catch {
    return undefined;
  }
}
