import picocolors from "picocolors";
import { formatAge, formatDuration } from "../../model/core.js";
import type { BreakerList } from "../../plane/management/contract.js";
import { UsageError, type Command } from "../command/command.js";
import { kubeconfigOptions } from "../command/options.js";
import { printValue, valueFormatOf, valueOption } from "../output/value-output.js";
import { connect } from "../server/connect.js";
import { cellText, columns, headerRow } from "../terminal/columns.js";

export const command: Command = {
  arguments: "[action] [name]",
  description:
    "List circuit breakers: their state, the failures that count, until when an open one refuses calls, and the last error. An open breaker lets a call through as a test when its time is over. With reset: close one at once, or all.",
  options: [...kubeconfigOptions, { flags: "--all", summary: "reset all breakers" }, valueOption],
  examples: [
    ["fettle breakers", "list breakers"],
    ["fettle breakers reset gateway", "close the breaker gateway, as the gateway is back"],
    ["fettle breakers reset --all", "close all"],
  ],
  async run(words, options, terminal) {
    const [action = "list", name, ...more] = words;
    if (action !== "list" && action !== "reset") {
      throw new UsageError(`unknown action ${JSON.stringify(action)}; use list or reset`);
    }
    const all = options["all"] === true;
    if (action === "list" && (all || name !== undefined))
      throw new UsageError("fettle breakers list takes no arguments");
    if (more.length > 0) throw new UsageError("too many arguments; use one NAME, or --all");
    if (action === "reset" && all === (name !== undefined)) throw new UsageError("missing NAME, or --all");
    const format = valueFormatOf(options);
    await using server = await connect(options, terminal);
    const { plane } = server;
    if (action === "list") {
      const list = await plane.breakers();
      return await printValue(terminal, format, list, () => breakersText(list, terminal.colors));
    }
    const { reset } = await plane.resetBreakers({ name });
    await printValue(terminal, format, { reset }, () =>
      reset.length === 0
        ? "there are no breakers\n"
        : reset.map((each) => `reset breaker ${cellText(each.name)} (it was ${each.state})\n`).join(""),
    );
  },
};

function breakersText({ breakers }: BreakerList, colors: boolean): string {
  const paint = picocolors.createColors(colors);
  if (breakers.length === 0) return "no breakers: no call has gone through one since the start\n";
  const now = Date.now();
  const stateColor = { closed: paint.green, "half-open": paint.yellow, open: paint.red };
  const rows = breakers.map(
    ({ name, state, failures, threshold, openUntil, lastError = "", lastFailureAt }) => [
      { text: cellText(name), paint: paint.bold },
      { text: state, paint: stateColor[state] },
      String(failures),
      threshold,
      openUntil === undefined
        ? ""
        : `in ${formatDuration(Math.ceil(Math.max(0, openUntil - now) / 1000) * 1000)}`,
      lastFailureAt === undefined ? "" : `${formatAge(now - lastFailureAt)} ago`,
      cellText(lastError),
    ],
  );
  const titles = ["NAME", "STATE", "FAILURES", "OPENS AFTER", "TRIED AGAIN", "FAILED", "LAST ERROR"];
  return columns([headerRow(titles, paint), ...rows]);
}
