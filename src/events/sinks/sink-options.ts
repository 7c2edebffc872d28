import { z } from "zod";
import { durationOption, sizeOption } from "../pipeline/handlers/read-options.js";

const patterns = z.union([z.string(), z.array(z.string()).min(1)]);
const url = z.url({ protocol: /^https?$/, error: "must be an address that begins with http:// or https://" });

const common = {
  /** Unique among the sinks: lower-case letters, digits, - and dots. */
  name: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,56}$/, "use up to 57 lower-case letters, digits, - and dots"),
  /** Patterns of event types to send. Default: all events. */
  on: patterns.optional(),
  /** Send also events of the time when the process was not running, and keep trying until they are sent. */
  durable: z.boolean().optional(),
  /** Time limit of one attempt. */
  timeout: durationOption.optional(),
  /** Attempts after a failed one, before the event becomes a dead letter. Default for a durable sink: no limit. */
  retries: z.int().min(0).optional(),
};

const breaker = z.strictObject({
  /** Failures in a row after which the sink is left alone. */
  failures: z.int().min(1).default(5),
  /** Time for which it is left alone. */
  openFor: durationOption.default(60_000),
});

/** Options of sinks by type. */
export const sinkSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("http"),
    ...common,
    url,
    mode: z.enum(["structured", "binary"]).default("structured"),
    /** Key that signs requests: text, or `whsec_` and a key in base64. */
    secret: z.string().min(1).optional(),
    headers: z.record(z.string(), z.string()).default({}),
    /** Requests at the same time; those about one object always one after the other. */
    concurrency: z.int().min(1).default(4),
    breaker: breaker.optional(),
  }),
  z.strictObject({
    type: z.literal("slack"),
    ...common,
    url,
    /** Channels, where the webhook may choose them. Default: that of the webhook. */
    channel: z.string().min(1).optional(),
    channels: z.array(z.string().min(1)).min(1).optional(),
    breaker: breaker.optional(),
  }),
  z.strictObject({
    type: z.literal("file"),
    ...common,
    path: z.string().min(1),
    /** Size beyond which a new file is begun. */
    maxSize: sizeOption.default(64 * 2 ** 20),
    /** Full files to keep: `events.jsonl.1` is the newest. */
    keep: z.int().min(0).max(1000).default(5),
    /** `each`: an event is acknowledged when it is on the disk. `close`: when the operating system has it. */
    fsync: z.enum(["each", "close"]).default("close"),
  }),
  z.strictObject({
    type: z.literal("stdout"),
    ...common,
    /** `json`: the event. `document`: id, type, timestamp, source, data and metadata. */
    format: z.enum(["json", "document"]).default("json"),
  }),
]);

type OptionsOf<T> = Extract<z.output<typeof sinkSchema>, { readonly type: T }>;
export type HttpSinkOptions = OptionsOf<"http">;
export type SlackSinkOptions = OptionsOf<"slack">;
export type FileSinkOptions = OptionsOf<"file">;
