import type { z } from "zod";
import { duration } from "../../model/core.js";
import { eventDocument, type CloudEvent } from "../../model/cloud-events/cloud-event.js";
import type { EventSubscription, HandlerContext } from "../handler.js";
import { subscription } from "../subscription.js";
import type { Sink, SinkParts } from "./sink.js";
import type { sinkSchema } from "./sink-options.js";

/** Options of a sink, as in the section `sinks` of `fettle.yaml`. */
export type SinkOptions = z.input<typeof sinkSchema>;

interface SinkImplementation {
  handle(event: CloudEvent, context: HandlerContext): Promise<void>;
  close(): Promise<void>;
}

const defaultTimeout = duration("10s");
/** Time for everything that happens besides the request, such as loading code, and for several channels. */
const margin = duration("20s");

/**
 * Creates a sink from its options: `http`, `slack`, `file` or `stdout`.
 *
 * @example
 * const sink = await sinkOf({ type: "http", name: "audit", on: "**.deleted", url: "https://audit.example.com/events" });
 * plane.events.subscribe(sink.subscription);
 *
 * @throws {Error} for invalid options, with the name of the sink and the option.
 */
export async function sinkOf(options: SinkOptions, parts: SinkParts = {}): Promise<Sink> {
  const { sinkSchema } = await import("./sink-options.js");
  const result = sinkSchema.safeParse(options);
  if (!result.success) throw new Error(problemsOf(options, result.error));
  const read = result.data;
  const { type, name, on, durable = type !== "stdout", timeout = defaultTimeout, retries } = read;
  const { handle, close } = await implementationOf(read, parts);
  return {
    type,
    name,
    handle,
    close,
    subscription: subscription({
      name: `sink-${name}`,
      on,
      durable,
      timeout: timeout + margin,
      // A receiver may be away for days: until it is back, the events of a durable sink stay in the log.
      retries: retries ?? (durable ? Number.MAX_SAFE_INTEGER : 3),
      retryDelay: "500ms",
      ...(read.type === "http" && { concurrency: read.concurrency }),
      ...(read.type === "slack" && { concurrency: 1 }),
      handle,
    }),
  };
}

async function implementationOf(
  options: z.output<typeof sinkSchema>,
  parts: SinkParts,
): Promise<Pick<SinkImplementation, "close"> & { readonly handle: EventSubscription["handle"] }> {
  switch (options.type) {
    case "http":
      return (await import("./http-sink.js")).httpSink(options, parts);
    case "slack":
      return (await import("./slack-sink.js")).slackSink(options, parts);
    case "file": {
      const { FileSink } = await import("./file-sink.js");
      const sink = new FileSink(options);
      return { handle: (event) => sink.handle(event), close: () => sink.close() };
    }
    case "stdout": {
      const { stdout = process.stdout } = parts;
      const { format } = options;
      return {
        handle: (event) =>
          new Promise<void>((resolve, reject) => {
            const text = JSON.stringify(format === "json" ? event : eventDocument(event));
            stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
          }),
        close: async () => {},
      };
    }
  }
}

/** Problems of options, without their values: one of them may be a secret. */
function problemsOf(options: unknown, { issues }: z.ZodError): string {
  const { name, type } = (options ?? {}) as { readonly name?: unknown; readonly type?: unknown };
  const which =
    typeof name === "string" && name !== "" ? `sink ${JSON.stringify(name)}` : "a sink without a name";
  const problems = issues.map(({ path, code, message }) => {
    if (code === "invalid_union" && path[0] === "type") {
      const given = type === undefined ? "is missing" : `is ${JSON.stringify(type)}`;
      return `its type ${given}: use http, slack, file or stdout`;
    }
    return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
  });
  return `${which} is invalid: ${problems.join("; ")}`;
}
