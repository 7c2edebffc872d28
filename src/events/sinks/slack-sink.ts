import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import type { HandlerContext } from "../handler.js";
import type { SinkParts } from "./sink.js";
import type { SlackSinkOptions } from "./sink-options.js";
import { slackText } from "./slack-text.js";
import { Webhook } from "./webhook.js";

/** Events whose channels are remembered: those that were sent to some channels and are tried again. */
const maxPartial = 1000;

/** Posts events to a Slack webhook, or to one that takes the same format (Mattermost, Discord with `/slack`). */
export function slackSink(
  { channel, channels = channel === undefined ? [] : [channel], ...options }: SlackSinkOptions,
  parts: SinkParts,
): { handle(event: CloudEvent, context: HandlerContext): Promise<void>; close(): Promise<void> } {
  const webhook = new Webhook(options, parts);
  const partial = new Map<string, Set<string | undefined>>();
  return {
    async handle(event, { signal }) {
      const sent = partial.get(event.id) ?? new Set();
      partial.set(event.id, sent);
      if (partial.size > maxPartial) partial.delete(partial.keys().next().value ?? "");
      for (const each of channels.length === 0 ? [undefined] : channels) {
        if (sent.has(each)) continue;
        const body = JSON.stringify({ ...(each !== undefined && { channel: each }), text: slackText(event) });
        await webhook.post({ headers: { "content-type": "application/json" }, body }, signal);
        sent.add(each);
      }
      partial.delete(event.id);
    },
    close: () => webhook.close(),
  };
}
