import { connectionOptions, type Command } from "../command.js";
import { textOption } from "../kinds/asked.js";
import { instructAll } from "../understand/instruct.js";
import { objectWords } from "../understand/target-words.js";

export const command: Command = {
  arguments: "<object> [name]",
  description:
    "Tries an object again that failed: one that was given up, or one that waits for its next try. fettle dead retry --all does it for all that were given up.",
  options: [
    ...connectionOptions,
    { flags: "--reason <text>", summary: "why; people will read it (default: tried again on request)" },
  ],
  examples: [["fettle retry site/hello", "try this one again, now"]],
  async run(words, options, terminal) {
    const reason = textOption(options, "reason");
    for (const { controller, title } of await instructAll(
      "retry",
      objectWords(words),
      { reason },
      options,
      terminal,
    )) {
      terminal.stdout.write(`${title} will be tried again now by controller ${controller.name}\n`);
    }
  },
};
