import { isJsonObject, type Json } from "../../../model/object/json.js";
import { eventDocument, type CloudEvent } from "../../../model/cloud-events/cloud-event.js";
import type { LogPosition } from "../../../events/log/event-log.js";

/** Message of a client. `ref` is sent back in the response. */
export type ClientMessage = { readonly ref?: string | undefined } & (
  | { readonly action: "subscribe"; readonly topics: readonly string[]; readonly from?: string | undefined }
  | { readonly action: "unsubscribe"; readonly topics: readonly string[] }
  | { readonly action: "resume"; readonly id: string; readonly topics: readonly string[] }
  | { readonly action: "ping" }
);

/** Message about the connection; those about events have an `id`. */
export interface ServerMessage {
  readonly type: "subscribed" | "unsubscribed" | "resumed" | "pong" | "heartbeat" | "error";
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A message that cannot be understood; the text says why. */
export class MessageError extends Error {
  override readonly name = "MessageError";
  /** Reference of the message, if it could be read. */
  readonly ref: string | undefined;

  constructor(message: string, ref?: string) {
    super(message);
    this.ref = ref;
  }
}

/** Place in the event log from which a client continues. */
export interface ResumePoint {
  readonly from: LogPosition;
  /** Last event that the client has, if others of the same revision may follow. */
  readonly after?: { readonly revision: string; readonly id: string } | undefined;
}

const maxRefLength = 100;

/** @throws {MessageError} */
export function parseMessage(text: string): ClientMessage {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    throw new MessageError('the message is not JSON; send {"action":"subscribe","topics":["…"]}');
  }
  if (!isJsonObject(fields as Json)) throw new MessageError("the message is not a JSON object");
  const { action, topics = [], id, from, ref } = fields as Readonly<Record<string, unknown>>;
  if (ref !== undefined && (typeof ref !== "string" || ref.length > maxRefLength)) {
    throw new MessageError(`ref must be a string of at most ${maxRefLength} characters`);
  }
  if (!Array.isArray(topics) || !topics.every((topic) => typeof topic === "string")) {
    throw new MessageError("topics must be a list of strings", ref);
  }
  switch (action) {
    case "subscribe":
      if (from !== undefined && typeof from !== "string")
        throw new MessageError("from must be the id of a message", ref);
      return { action, topics: notEmpty(topics, ref), from, ref };
    case "unsubscribe":
      return { action, topics: notEmpty(topics, ref), ref };
    case "resume":
      if (typeof id !== "string") throw new MessageError("id is missing: the id of the last message", ref);
      return { action, id, topics, ref };
    case "ping":
      return { action, ref };
    default:
      throw new MessageError("the action must be subscribe, unsubscribe, resume or ping", ref);
  }
}

function notEmpty(topics: readonly string[], ref: string | undefined): readonly string[] {
  if (topics.length > 0) return topics;
  throw new MessageError(
    "topics is missing: a list of topics, or of patterns such as io.example.device.**",
    ref,
  );
}

/** Events are shared by all their readers, and so are their messages. */
const frames = new WeakMap<CloudEvent, Buffer>();

/** Message about an event: `{type, payload, id}`. */
export function eventMessage(event: CloudEvent): Buffer {
  let frame = frames.get(event);
  if (frame === undefined) {
    const { type, revision, id } = event;
    const message = { type, payload: eventDocument(event), id: `${revision ?? ""}:${id}` };
    frames.set(event, (frame = Buffer.from(JSON.stringify(message))));
  }
  return frame;
}

export function serverMessage({ type, payload }: ServerMessage): string {
  return JSON.stringify({ type, payload, id: null });
}

/**
 * Place in the log after a message: `REVISION:EVENT` for one about an event, `REVISION:` for a position.
 *
 * @throws {MessageError}
 */
export function parseId(id: string, ref?: string): ResumePoint {
  const [, revision = "", event = ""] = /^(\d{1,15}):(.*)$/s.exec(id) ?? [];
  if (revision === "") {
    throw new MessageError(`${JSON.stringify(id.slice(0, 60))} is not the id of a message`, ref);
  }
  if (event === "") return { from: revision };
  // Begins with the revision itself: a commit may cause several events.
  return { from: String(Math.max(0, Number(revision) - 1)), after: { revision, id: event } };
}

/** Id to continue after a position. */
export function positionId(position: LogPosition): string {
  return `${position}:`;
}
