import type { Command } from "../command.js";

export const command: Command = {
  description: "not there yet",
  examples: [],
  run: async () => {
    throw new Error("not there yet");
  },
};
