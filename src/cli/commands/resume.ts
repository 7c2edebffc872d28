import { connectionOptions, type Command } from "../command.js";
import { instructAll } from "../understand/instruct.js";
import { targetWords } from "../understand/target-words.js";

export const command: Command = {
  arguments: "<kind> [name]",
  description:
    "Resume reconciling after fettle pause. Objects that were paused by name stay paused when their kind is resumed.",
  options: connectionOptions,
  examples: [
    ["fettle resume site/hello", "resume one site"],
    ["fettle resume site", "resume all sites that were not paused by name"],
  ],
  async run(words, options, terminal) {
    const target = targetWords(words);
    for (const { controller, title, count } of await instructAll("resume", target, {}, options, terminal)) {
      const was = target.name === undefined ? controller.paused : count > 0;
      const still =
        target.name === undefined && controller.pausedObjects.length > 0
          ? `; still paused by name: ${controller.pausedObjects.join(", ")}`
          : target.name !== undefined && controller.paused
            ? `; all ${controller.kind} objects are still paused`
            : "";
      terminal.stdout.write(was ? `resumed ${title}${still}\n` : `${title} was not paused${still}\n`);
    }
  },
};
