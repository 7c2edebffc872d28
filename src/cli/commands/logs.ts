import { UsageError, type Command } from "../command/command.js";
import { connectionOptions } from "../command/options.js";

export const command: Command = {
  arguments: "[object] [name]",
  description:
    "Nothing here runs pods, so there are no logs of containers. The record of runs takes their place: fettle why shows what a controller did to an object, and fettle debug trace -f shows runs as they end.",
  options: [...connectionOptions],
  examples: [
    ["fettle why site/hello", "the last runs of an object: triggers, steps, writes, errors"],
    ["fettle debug trace -f", "runs of all controllers as they end"],
    ["fettle events site/hello", "events of an object"],
  ],
  async run([word, name]) {
    const object = word === undefined ? "KIND/NAME" : name === undefined ? word : `${word}/${name}`;
    throw new UsageError(
      `no pods run here, so there are no logs; see what controllers did: fettle why ${object}, or all runs as they end: fettle debug trace -f`,
    );
  },
};
