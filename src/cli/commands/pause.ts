import { connectionOptions, type Command } from "../command.js";
import { instructAll } from "../understand/instruct.js";
import { targetWords } from "../understand/target-words.js";

export const command: Command = {
  arguments: "<kind> [name]",
  description:
    "Begins no more runs of an object, or of all objects of a kind, until fettle resume. What happens meanwhile is remembered; a run that is under way comes to its end. A restart of the control plane forgets it.",
  options: connectionOptions,
  examples: [
    ["fettle pause site/hello", "leave this one alone"],
    ["fettle pause site", "leave all sites alone"],
  ],
  async run(words, options, terminal) {
    const target = targetWords(words);
    for (const { controller, title, count } of await instructAll("pause", target, {}, options, terminal)) {
      const all = target.name === undefined ? ` (${count} now)` : "";
      terminal.stdout.write(`paused ${title}${all}: controller ${controller.name} begins no run of it\n`);
    }
  },
};
