import { connectionOptions, type Command } from "../command.js";
import { instructAll } from "../understand/instruct.js";
import { targetWords } from "../understand/target-words.js";

export const command: Command = {
  arguments: "<kind> [name]",
  description:
    "Begins runs again of what fettle pause held back. Objects that were paused by name stay so when their kind is resumed.",
  options: connectionOptions,
  examples: [
    ["fettle resume site/hello", "this one again"],
    ["fettle resume site", "all that were not paused by name"],
  ],
  async run(words, options, terminal) {
    const target = targetWords(words);
    for (const { controller, title, count } of await instructAll("resume", target, {}, options, terminal)) {
      const was = target.name === undefined ? controller.paused : count > 0;
      const still =
        target.name === undefined && controller.pausedObjects.length > 0
          ? `; still paused by name: ${controller.pausedObjects.join(", ")}`
          : target.name !== undefined && controller.paused
            ? `; all of ${controller.kind} is paused, though`
            : "";
      terminal.stdout.write(was ? `resumed ${title}${still}\n` : `${title} was not paused${still}\n`);
    }
  },
};
