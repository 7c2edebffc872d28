import picocolors from "picocolors";
import type { HealthReport, HealthStatus } from "../../runtime/health/health.js";
import type { Command } from "../command/command.js";
import { kubeconfigOptions } from "../command/options.js";
import { printValue, valueFormatOf, valueOption } from "../output/value-output.js";
import { connect } from "../server/connect.js";
import { cellText, columns, headerRow, type Colors } from "../terminal/columns.js";

export const command: Command = {
  description:
    "Run the health checks of the control plane, and show their results: store, disk, event loop, queues, watches, and those of operators. Exits with 1 if the control plane is unhealthy; degraded means that it works, with restrictions.",
  options: [...kubeconfigOptions, valueOption],
  examples: [["fettle health", "all checks"]],
  async run(_, options, terminal) {
    const format = valueFormatOf(options);
    await using server = await connect(options, terminal);
    const report = await server.plane.health();
    await printValue(terminal, format, report, () =>
      healthText(report, picocolors.createColors(terminal.colors)),
    );
    if (report.status === "unhealthy") throw new Error("the control plane is unhealthy");
  },
};

function healthText({ status, checks }: HealthReport, paint: Colors): string {
  const color = (of: HealthStatus) =>
    ({ healthy: paint.green, degraded: paint.yellow, unhealthy: paint.red })[of];
  const rows = checks.map(({ name, status: state, message, duration }) => [
    { text: cellText(name), paint: paint.bold },
    { text: state, paint: color(state) },
    `${Math.round(duration)}ms`,
    cellText(message),
  ]);
  return `${color(status)(status)}\n\n${columns([headerRow(["CHECK", "STATUS", "TOOK", "MESSAGE"], paint), ...rows])}`;
}
