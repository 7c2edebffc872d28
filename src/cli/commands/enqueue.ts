import { duration, formatDuration } from "../../model/core.js";
import { connectionOptions, UsageError, type Command } from "../command.js";
import { textOption } from "../kinds/asked.js";
import { instructAll } from "../understand/instruct.js";
import { objectWords } from "../understand/target-words.js";

export const command: Command = {
  arguments: "<object> [name]",
  description:
    "Reconcile an object now, or after a delay, for a reason that the controller does not watch. fettle why shows the reason.",
  options: [
    ...connectionOptions,
    { flags: "--reason <text>", summary: "reason, recorded with the run (required)" },
    { flags: "--after <duration>", summary: "delay: 30s, 10m, 1h30m (default: none)" },
  ],
  examples: [
    ['fettle enqueue site/hello --reason "the certificate was renewed"', "reconcile it now"],
    [
      'fettle enqueue site/hello --reason "after the maintenance" --after 30m',
      "reconcile it in half an hour",
    ],
  ],
  async run(words, options, terminal) {
    const target = objectWords(words);
    const reason = textOption(options, "reason");
    if (reason === undefined || reason.trim() === "") {
      throw new UsageError("missing --reason TEXT; it is recorded with the run");
    }
    const after = textOption(options, "after");
    const delay = after === undefined ? 0 : milliseconds(after);
    const instruction = { reason, ...(delay > 0 && { after: `${delay}ms` }) };
    for (const { controller, title } of await instructAll(
      "enqueue",
      target,
      instruction,
      options,
      terminal,
    )) {
      const when = delay > 0 ? `in ${formatDuration(delay)}` : "now";
      const held =
        controller.paused || controller.pausedObjects.some((key) => title.endsWith(` ${key}`))
          ? " once it is resumed (it is paused)"
          : "";
      terminal.stdout.write(`${title} will be reconciled ${when} by controller ${controller.name}${held}\n`);
    }
  },
};

function milliseconds(text: string): number {
  try {
    return duration(text);
  } catch (error) {
    throw new UsageError(`--after: ${error instanceof Error ? error.message : String(error)}`);
  }
}
