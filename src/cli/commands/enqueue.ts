import { duration, formatDuration } from "../../model/core.js";
import { connectionOptions, UsageError, type Command } from "../command.js";
import { textOption } from "../kinds/asked.js";
import { instructAll } from "../understand/instruct.js";
import { objectWords } from "../understand/target-words.js";

export const command: Command = {
  arguments: "<object> [name]",
  description:
    "Has an object looked at now, or in a while, for a reason that no watch tells of; fettle why shows it.",
  options: [
    ...connectionOptions,
    { flags: "--reason <text>", summary: "why; people will read it" },
    { flags: "--after <duration>", summary: "not at once: 30s, 10m, 1h30m" },
  ],
  examples: [
    ['fettle enqueue site/hello --reason "the certificate was renewed"', "look at it now"],
    ['fettle enqueue site/hello --reason "after the maintenance" --after 30m', "look at it in half an hour"],
  ],
  async run(words, options, terminal) {
    const target = objectWords(words);
    const reason = textOption(options, "reason");
    if (reason === undefined || reason.trim() === "") {
      throw new UsageError("say why, for those who will wonder: --reason TEXT");
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
          ? "; it is paused, and will be looked at when it is resumed"
          : "";
      terminal.stdout.write(`${title} will be looked at ${when} by controller ${controller.name}${held}\n`);
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
