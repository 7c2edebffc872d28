import { connectionOptions, type Command } from "../command.js";
import { instructAll } from "../understand/instruct.js";
import { targetWords } from "../understand/target-words.js";

export const command: Command = {
  arguments: "<kind> [name]",
  description:
    "Stop reconciling an object, or all objects of a kind, until fettle resume. Changes are kept in the queue meanwhile, and a run in progress finishes. A restart of the control plane ends the pause.",
  options: connectionOptions,
  examples: [
    ["fettle pause site/hello", "pause one site"],
    ["fettle pause site", "pause all sites"],
  ],
  async run(words, options, terminal) {
    const target = targetWords(words);
    for (const { controller, title, count } of await instructAll("pause", target, {}, options, terminal)) {
      const all = target.name === undefined ? ` (${count} objects)` : "";
      terminal.stdout.write(`paused ${title}${all} in controller ${controller.name}\n`);
    }
  },
};
