import { systemClock } from "../../model/core.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import { InvalidEvent } from "../create-event.js";
import { encodeHttp } from "../encode/http-message.js";
import { EventRejected } from "../event-rejected.js";
import type { HandlerContext } from "../handler.js";
import { signatureHeaders } from "./signature.js";
import type { SinkParts } from "./sink.js";
import type { HttpSinkOptions } from "./sink-options.js";
import { Webhook } from "./webhook.js";

/** Posts events to an HTTP server, as CloudEvents in binary or structured mode, signed if there is a secret. */
export function httpSink(
  { headers: added, mode, secret, ...options }: HttpSinkOptions,
  parts: SinkParts,
): { handle(event: CloudEvent, context: HandlerContext): Promise<void>; close(): Promise<void> } {
  const webhook = new Webhook(options, parts);
  const { clock = systemClock } = parts;
  return {
    async handle(event, { signal }) {
      const { headers, body } = await encodeHttp(event, mode).catch((error: unknown) => {
        if (error instanceof InvalidEvent) throw new EventRejected(error.message, { cause: error });
        throw error;
      });
      const timestamp = Math.floor(clock.now() / 1000);
      const signed =
        secret === undefined ? {} : signatureHeaders(secret, { id: headerSafe(event.id), timestamp, body });
      await webhook.post({ headers: { ...added, ...headers, ...signed }, body }, signal);
    },
    close: () => webhook.close(),
  };
}

/** Ids may have characters that headers may not. */
function headerSafe(id: string): string {
  return /^[\u0021-\u007E]+$/.test(id) ? id : encodeURIComponent(id);
}
