import { InvalidEvent } from "../../events/create-event.js";
import type { RunningEvents } from "../../events/create-events.js";
import { decodeHttp } from "../../events/encode/http-message.js";
import { failures, fromStatus } from "../../model/core.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import {
  problemDetails,
  problemType,
  type Extension,
  type ExtensionRequest,
  type ExtensionResponse,
} from "../../server/index.js";

export interface PostEventsOptions {
  /** Largest event as JSON, in bytes. */
  readonly maxSize: number;
  /** Parts that are started after the server. */
  readonly parts: () => { readonly events: Pick<RunningEvents, "emitAll"> };
}

const eventsPath = "/events";
/** Events of one request, which are stored together. */
const maxBatch = 1000;
const batchType = /^application\/cloudevents-batch\b/i;

/**
 * Takes events from outside: CloudEvents over HTTP in binary, structured or batched mode. Needs permission to `post` to the path. The
 * events are stored when the response is sent; one that the log has already is not stored again.
 */
export function postEvents({ maxSize, parts }: PostEventsOptions): Extension {
  return {
    path: eventsPath,
    errors: "problem",
    async serve(request) {
      if (request.path !== "") return undefined;
      if (request.method !== "POST") return notAllowed(request.method);
      const isBatch = batchType.test(request.headers["content-type"] ?? "");
      const received = await eventsIn(request, isBatch ? undefined : maxSize);
      for (const event of received) checkSize(event, maxSize);
      if (received.length > maxBatch) {
        throw failures.requestEntityTooLarge(
          `a batch has at most ${maxBatch} events, not ${received.length}: send several`,
        );
      }
      const { events } = parts();
      const inputs = received.map(withoutLogAttributes);
      await accepted(() => events.emitAll(inputs));
      return { code: 202, json: { ids: inputs.map(({ id }) => id) } };
    },
  };
}

/** An event without the attributes that the log sets. */
function withoutLogAttributes(event: CloudEvent): CloudEvent {
  return { ...event, revision: undefined, resync: undefined };
}

async function eventsIn(
  request: ExtensionRequest,
  limit: number | undefined,
): Promise<readonly CloudEvent[]> {
  const body = await request.bytes(limit);
  const { headers } = request;
  for (const event of rawEvents(headers, body)) checkRequired(event);
  return accepted(() => decodeHttp({ headers, body }));
}

/** Attributes of the events as they were sent. @throws {ApiError} 400 unless there are any. */
function rawEvents(
  headers: ExtensionRequest["headers"],
  body: Uint8Array,
): readonly Readonly<Record<string, unknown>>[] {
  const type = headers["content-type"] ?? "";
  if (!/^application\/cloudevents\b/i.test(type)) {
    if (headers["ce-specversion"] !== undefined)
      return [Object.fromEntries(required.map((name) => [name, headers[`ce-${name}`]]))];
    throw failures.badRequest(
      "the request is not a CloudEvent: send application/cloudevents+json, or the headers ce-specversion, ce-id, ce-source and ce-type",
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString());
  } catch (error) {
    throw failures.badRequest(`the body is not JSON: ${(error as Error).message}`);
  }
  const isBatch = batchType.test(type);
  const events = isBatch ? value : [value];
  const isEvent = (each: unknown): boolean =>
    typeof each === "object" && each !== null && !Array.isArray(each);
  if (Array.isArray(events) && events.every(isEvent)) return events as Record<string, unknown>[];
  throw failures.badRequest(`the body must be ${isBatch ? "a list of events" : "an event"} as JSON`);
}

const required = ["specversion", "id", "source", "type"];

/** @throws {ApiError} 422 for a missing attribute; the SDK would fill in some of them. */
function checkRequired(event: Readonly<Record<string, unknown>>): void {
  for (const name of required) {
    const value = event[name];
    if (typeof value === "string" && value !== "") continue;
    const message = `${name} is missing: it must be text that is not empty`;
    throw fromStatus({
      code: 422,
      reason: "Invalid",
      message,
      details: { causes: [{ reason: "FieldValueRequired", field: name, message }] },
    });
  }
}

/** Reports invalid events as 422. */
async function accepted<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InvalidEvent)) throw error;
    throw fromStatus({ code: 422, reason: "Invalid", message: error.message });
  }
}

function checkSize(event: CloudEvent, maxSize: number): void {
  const size = Buffer.byteLength(JSON.stringify(event));
  if (size > maxSize) {
    throw failures.requestEntityTooLarge(`event ${event.id} has ${size} bytes; limit is ${maxSize}`);
  }
}

function notAllowed(method: string): ExtensionResponse {
  const { status } = fromStatus({
    code: 405,
    reason: "MethodNotAllowed",
    message: `${eventsPath} allows POST, not ${method}; read events at /debug/events or over the WebSocket /ws`,
  });
  return {
    code: 405,
    type: problemType,
    headers: { Allow: "POST" },
    json: problemDetails(status, eventsPath),
  };
}
