import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import { withoutSecrets } from "../../runtime/log/secrets.js";

const maxText = 3000;
const icons = { critical: ":red_circle:", warning: ":large_yellow_circle:", resolved: ":white_check_mark:" };

/** Text of an event for Slack: a title for alerts, or type, subject and data. */
export function slackText(event: CloudEvent): string {
  const { type, data, subject, source } = event;
  if (type === "alert.raised" || type === "alert.resolved") {
    const { title = type, message = "", severity } = (data ?? {}) as Readonly<Record<string, unknown>>;
    const isWarning = severity === "warning";
    const state = type === "alert.resolved" ? "resolved" : isWarning ? "warning" : "critical";
    const resolved = state === "resolved" ? "Resolved: " : "";
    return shorten(
      `${icons[state]} *${resolved}${escape(String(title))}*\n${escape(String(message))}`.trim(),
    );
  }
  const about = escape(subject ?? source);
  const details =
    data === undefined
      ? ""
      : `\n\`\`\`${escape(JSON.stringify(withoutSecrets(data), null, 2)).replaceAll("```", "'''")}`;
  const text = shorten(`*${escape(type)}* ${about}${details}`);
  return details === "" ? text : `${text}\`\`\``;
}

function shorten(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)}…`;
}

/** The characters that Slack reads as markup; without this, the text of an event could mention a whole channel. */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
