import picocolors from "picocolors";
import { UsageError, type Command } from "../command/command.js";
import { connectionOptions, countOption } from "../command/options.js";
import { requireControllers } from "../objects/resolve-controllers.js";
import { queueText } from "../output/queue-text.js";
import { printValue, valueFormatOf, valueOption } from "../output/value-output.js";
import { connect } from "../server/connect.js";

export const command: Command = {
  arguments: "[kind]",
  description:
    "List the objects in the queues of controllers, those that are due first at the top: their state, failures in a row, and when they are due. An object that failed waits for its next attempt; fettle retry tries it now, and resets its backoff.",
  options: [
    ...connectionOptions,
    { flags: "--failed", summary: "only objects whose last run failed" },
    { flags: "--limit <count>", summary: "maximum number of objects (default: 500)" },
    valueOption,
  ],
  examples: [
    ["fettle queue", "all queues"],
    ["fettle queue site --failed", "sites that wait for their next attempt, or were given up"],
  ],
  async run(words, options, terminal) {
    const [kind, ...more] = words;
    if (more.length > 0) throw new UsageError("too many arguments; use one KIND, or none");
    const format = valueFormatOf(options);
    const limit = countOption(options, "limit", { least: 1, fallback: 500 });
    const failed = options["failed"] === true ? true : undefined;
    await using server = await connect(options, terminal);
    const controllers = kind === undefined ? [undefined] : await requireControllers(kind, server);
    const lists = await Promise.all(
      controllers.map((each) => server.plane.queue({ controller: each?.name, failed, limit })),
    );
    const objects = lists
      .flatMap((list) => list.objects)
      .sort((one, other) => (one.due ?? Infinity) - (other.due ?? Infinity) || 0);
    const list = {
      objects: objects.slice(0, limit),
      more: objects.length > limit || lists.some(({ more: isCut }) => isCut),
    };
    await printValue(terminal, format, list, () =>
      queueText(list, Date.now(), picocolors.createColors(terminal.colors)),
    );
    if (list.more && format === undefined)
      terminal.stderr.write(`More than ${limit} objects are queued; show more with --limit.\n`);
  },
};
