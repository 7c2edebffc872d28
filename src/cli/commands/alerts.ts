import picocolors from "picocolors";
import { formatAge } from "../../model/core.js";
import type { AlertList } from "../../plane/management/contract.js";
import type { Command } from "../command/command.js";
import { kubeconfigOptions } from "../command/options.js";
import { printValue, valueFormatOf, valueOption } from "../output/value-output.js";
import { connect } from "../server/connect.js";
import { cellText, columns, headerRow, type Colors } from "../terminal/columns.js";

export const command: Command = {
  description:
    "List alerts of the thresholds in performance.thresholds: those that are raised, then those that were resolved since the start. The alerts of the AlertingHandler of the event pipeline are events: fettle debug events shows them.",
  options: [...kubeconfigOptions, valueOption],
  examples: [["fettle alerts", "raised and resolved alerts"]],
  async run(_, options, terminal) {
    const format = valueFormatOf(options);
    await using server = await connect(options, terminal);
    const list = await server.plane.alerts();
    await printValue(terminal, format, list, () =>
      alertsText(list, Date.now(), picocolors.createColors(terminal.colors)),
    );
  },
};

function alertsText({ configured, alerts }: AlertList, now: number, paint: Colors): string {
  if (!configured) return "no thresholds are configured: set performance.thresholds in fettle.yaml\n";
  if (alerts.length === 0) return "no alerts of performance thresholds\n";
  const rows = alerts.map(({ name, state, raisedAt, resolvedAt, message }) => [
    { text: name, paint: paint.bold },
    { text: state, paint: state === "raised" ? paint.red : paint.green },
    `${formatAge(now - raisedAt)} ago`,
    resolvedAt === undefined ? "" : `${formatAge(now - resolvedAt)} ago`,
    cellText(message),
  ]);
  return columns([headerRow(["ALERT", "STATE", "RAISED", "RESOLVED", "MESSAGE"], paint), ...rows]);
}
