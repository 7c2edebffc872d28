import { connectionOptions, type Command } from "../command.js";
import { textOption } from "../kinds/asked.js";
import { instructAll } from "../understand/instruct.js";
import { objectWords } from "../understand/target-words.js";

export const command: Command = {
  arguments: "<object> [name]",
  description:
    "Retry a failed object now, whether it is a dead letter or waits for its next attempt. To retry all dead letters: fettle dead retry --all",
  options: [...connectionOptions, { flags: "--reason <text>", summary: "reason, recorded with the run" }],
  examples: [["fettle retry site/hello", "retry now"]],
  async run(words, options, terminal) {
    const reason = textOption(options, "reason");
    for (const { controller, title } of await instructAll(
      "retry",
      objectWords(words),
      { reason },
      options,
      terminal,
    )) {
      terminal.stdout.write(`${title} will be retried now by controller ${controller.name}\n`);
    }
  },
};
