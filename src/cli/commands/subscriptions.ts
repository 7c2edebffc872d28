import picocolors from "picocolors";
import { formatAge } from "../../model/core.js";
import type { DeadEventList, SubscriptionList } from "../../plane/management/contract.js";
import { UsageError, type Command } from "../command/command.js";
import { kubeconfigOptions, textOption } from "../command/options.js";
import { printValue, valueFormatOf, valueOption } from "../output/value-output.js";
import { connect } from "../server/connect.js";
import { cellText, columns, headerRow } from "../terminal/columns.js";

const actions = ["list", "dead", "retry"];

export const command: Command = {
  arguments: "[action] [name]",
  description:
    "List the subscriptions to events: how many events they have handled, how many wait, and how far a durable one lags behind. With dead: the events that could not be handled. With retry: deliver those of a subscription again.",
  options: [
    ...kubeconfigOptions,
    { flags: "--id <id>", summary: "retry only the event with this id" },
    valueOption,
  ],
  examples: [
    ["fettle subscriptions", "all subscriptions"],
    ["fettle subscriptions dead", "events that could not be handled, with reasons"],
    ["fettle subscriptions retry audit", "deliver the dead events of a subscription again"],
    ["fettle subscriptions retry audit --id 4711", "deliver one of them again"],
  ],
  async run(words, options, terminal) {
    const [action = "list", name, ...more] = words;
    if (!actions.includes(action))
      throw new UsageError(`unknown action ${JSON.stringify(action)}; use ${actions.join(", ")}`);
    if (more.length > 0 || (action === "list" && name !== undefined))
      throw new UsageError("too many arguments");
    if (action === "retry" && name === undefined)
      throw new UsageError("missing name of a subscription; fettle subscriptions lists them");
    const format = valueFormatOf(options);
    await using server = await connect(options, terminal);
    const { plane } = server;
    if (action === "list") {
      const list = await plane.subscriptions();
      return await printValue(terminal, format, list, () => listText(list, terminal.colors));
    }
    if (action === "dead") {
      const all = await plane.deadEvents();
      const letters = all.letters.filter(({ subscription }) => name === undefined || subscription === name);
      return await printValue(terminal, format, { letters }, () => deadText({ letters }, terminal.colors));
    }
    const id = textOption(options, "id");
    const { count } = await plane.retryEvents(name ?? "", { id });
    if (count === 0 && id !== undefined)
      throw new Error(
        `${name} has no dead event with the id ${id}; fettle subscriptions dead ${name} lists them`,
      );
    const events = count === 1 ? "1 event" : `${count} events`;
    terminal.stdout.write(
      count === 0 ? `${name} has no dead events\n` : `${events} will be delivered to ${name} again\n`,
    );
  },
};

function listText({ subscriptions }: SubscriptionList, colors: boolean): string {
  if (subscriptions.length === 0) return "no subscriptions\n";
  const paint = picocolors.createColors(colors);
  const rows = subscriptions.map((each) => [
    { text: each.name, paint: paint.bold },
    { text: each.state, paint: each.state === "running" ? paint.green : paint.red },
    each.durable ? "yes" : "no",
    String(each.handled),
    String(each.waiting),
    { text: String(each.dead), paint: each.dead > 0 ? paint.red : paint.dim },
    each.lag === undefined ? "" : String(each.lag),
    cellText(each.on.join(", ")),
    cellText(each.reason ?? ""),
  ]);
  const titles = ["NAME", "STATE", "DURABLE", "HANDLED", "WAITING", "DEAD", "LAG", "EVENTS", "REASON"];
  const withReason = subscriptions.some(({ reason }) => reason !== undefined);
  const width = withReason ? titles.length : titles.length - 1;
  return columns([headerRow(titles.slice(0, width), paint), ...rows.map((row) => row.slice(0, width))]);
}

function deadText({ letters }: DeadEventList, colors: boolean): string {
  if (letters.length === 0) return "no dead events\n";
  const paint = picocolors.createColors(colors);
  const rows = letters.map(({ subscription, event, attempts, at, reason }) => [
    { text: subscription, paint: paint.bold },
    cellText(event.type),
    cellText(event.id),
    String(attempts),
    formatAge(Date.now() - at),
    { text: cellText(reason), paint: paint.red },
  ]);
  const titles = ["SUBSCRIPTION", "TYPE", "ID", "ATTEMPTS", "AGE", "REASON"];
  return columns([headerRow(titles, paint), ...rows]);
}
