import { UsageError, type Command } from "../command/command.js";
import { connectionOptions } from "../command/options.js";

export const command: Command = {
  arguments: "[object] [word...]",
  description:
    "Nothing here runs pods, so that there is no container to run a command in. An operator that runs programs can replace this command.",
  options: [...connectionOptions],
  examples: [["fettle why site/hello", "the last runs of an object: triggers, steps, writes, errors"]],
  async run() {
    throw new UsageError(
      "no pods run here, and no operator that was started in this folder has a command exec",
    );
  },
};
