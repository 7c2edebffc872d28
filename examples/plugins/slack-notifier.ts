import { AlertRaised, AlertResolved, definePlugin } from "fettle/events";
import { z } from "zod";

/** Posts alerts to channels of Slack. */
export default definePlugin({
  name: "slack-notifier",
  version: "1.0.0",
  config: z.object({
    webhook_url: z.url(),
    channels: z.array(z.string().startsWith("#")).min(1),
  }),
  permissions: ["events:alert.*", "http:*", "state"],

  async onEvent(event, { config, http, state }) {
    if (!AlertRaised.is(event) && !AlertResolved.is(event)) return;
    const { title = "", message = "" } = event.data ?? {};
    const text = AlertResolved.is(event)
      ? `:white_check_mark: Resolved: ${title}`
      : `:red_circle: *${title}*\n${message}`;
    for (const channel of config.channels) {
      // If a later channel fails, the event is handled again: those that have the message do not get it twice.
      const sent = `sent/${event.id}/${channel}`;
      if ((await state.get(sent)) === true) continue;
      const { ok, status } = await http.post(config.webhook_url, { json: { channel, text: escape(text) } });
      if (!ok) throw new Error(`Slack answered with status ${status}`);
      await state.set(sent, true, { ttl: "1h" });
    }
  },
});

/** Slack's escapes; a message must not mention a whole channel because of the text of an error. */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
