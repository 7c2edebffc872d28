import type * as Sdk from "cloudevents";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import { checkEvent, InvalidEvent } from "../create-event.js";

/** `structured`: the whole event is the body. `binary`: the data is the body, and attributes are headers. */
export type HttpMode = "structured" | "binary";

/** An event as an HTTP message. */
export interface HttpMessage {
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Loads the SDK with the first event that needs it: it takes longer to load than most of a start. */
let sdk: Promise<Pick<typeof Sdk, "CloudEvent" | "HTTP">> | undefined;
function loadSdk(): NonNullable<typeof sdk> {
  // A CommonJS module: bundled, it has only a default export.
  return (sdk ??= import("cloudevents").then((module) => module.default ?? module));
}

/** Loads what the other functions need, so that the first event does not wait for it. */
export async function prepareEncoding(): Promise<void> {
  await loadSdk();
}

/**
 * Encodes an event for HTTP.
 *
 * @throws {InvalidEvent}
 */
export async function encodeHttp(event: CloudEvent, mode: HttpMode): Promise<HttpMessage> {
  const { HTTP } = await loadSdk();
  const message = HTTP[mode](await sdkEvent(event));
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value === undefined) continue;
    const text = String(value);
    headers[name.toLowerCase()] = name.startsWith("ce-") ? encodeHeader(text) : text;
  }
  return { headers, body: mode === "binary" ? bodyOf(event) : (message.body as string) };
}

/**
 * Decodes the events of an HTTP message: one in binary or structured mode, or a batch.
 *
 * @throws {InvalidEvent}
 */
export async function decodeHttp(message: HttpMessage): Promise<readonly CloudEvent[]> {
  const { HTTP } = await loadSdk();
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name.toLowerCase(),
      name.toLowerCase().startsWith("ce-") ? decodeHeader(value) : value,
    ]),
  );
  const body = typeof message.body === "string" ? message.body : Buffer.from(message.body).toString("utf8");
  try {
    const decoded = HTTP.toEvent({ headers, body });
    const events = (Array.isArray(decoded) ? decoded : [decoded]) as Sdk.CloudEvent[];
    return await Promise.all(
      events.map(async (each) => {
        const event = withTypes(withoutUndefined(each));
        await sdkEvent(event);
        return event;
      }),
    );
  } catch (error) {
    throw invalid(error);
  }
}

/**
 * Checks that an event is valid by the specification of CloudEvents 1.0.
 *
 * @throws {InvalidEvent}
 */
export async function validateEvent(event: CloudEvent): Promise<void> {
  await sdkEvent(event);
}

/** Validated event of the SDK. */
async function sdkEvent(event: CloudEvent): Promise<Sdk.CloudEvent<unknown>> {
  const { CloudEvent: SdkEvent } = await loadSdk();
  // The SDK would fill in a missing id or time, and accepts control characters and any value of an extension.
  checkEvent(event);
  try {
    return new SdkEvent<unknown>(withoutUndefined(event));
  } catch (error) {
    throw invalid(error);
  }
}

function withoutUndefined(event: object): CloudEvent {
  return Object.fromEntries(
    Object.entries(event).filter(([, value]) => value !== undefined),
  ) as unknown as CloudEvent;
}

/** Headers are text; the extensions that Fettle reads have types. */
function withTypes(event: CloudEvent): CloudEvent {
  const { hops, resync } = event as { readonly hops?: unknown; readonly resync?: unknown };
  return {
    ...event,
    ...(typeof hops === "string" && /^\d{1,9}$/.test(hops) && { hops: Number(hops) }),
    ...(typeof resync === "string" && { resync: resync === "true" }),
  };
}

function bodyOf({ data, datacontenttype = "application/json" }: CloudEvent): string | Uint8Array {
  if (data === undefined) return "";
  if (data instanceof Uint8Array) return data;
  const isJson = /^application\/(?:.*\+)?json\b/i.test(datacontenttype);
  return typeof data === "string" && !isJson ? data : JSON.stringify(data);
}

function invalid(error: unknown): InvalidEvent {
  if (error instanceof InvalidEvent) return error;
  const { message = String(error), errors } = error as {
    readonly message?: string;
    readonly errors?: readonly { readonly instancePath?: string; readonly message?: string }[] | null;
  };
  const details = (Array.isArray(errors) ? errors : [])
    .map(({ instancePath = "", message: text = "" }) => `${instancePath.slice(1)} ${text}`.trim())
    .filter((text) => text !== "");
  const [summary = "invalid"] = message.split("\n");
  const reason = details.length === 0 ? summary : details.join("; ");
  return new InvalidEvent(`not a valid CloudEvent: ${reason}`, { cause: error });
}

/** Percent-encodes what the specification does not allow in headers, which the SDK leaves to its callers. */
function encodeHeader(value: string): string {
  return value.replaceAll(/[^\u0021\u0023\u0024\u0026-\u007E]+/g, (text) =>
    Array.from(
      Buffer.from(text, "utf8"),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    ).join(""),
  );
}

function decodeHeader(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll(/%(?![0-9A-Fa-f]{2})/g, "%25"));
  } catch {
    return value;
  }
}
