import type { Command } from "../command.js";
import type { Shell } from "../completion/scripts.js";

function script(shell: Shell, examples: Command["examples"]): Command {
  return {
    description: `Prints what makes ${shell} complete commands, options, kinds and names of objects.`,
    examples,
    async run(_, __, { stdout }) {
      const { scripts } = await import("../completion/scripts.js");
      stdout.write(scripts[shell]);
    },
  };
}

export const command: Command = {
  description:
    "Makes the shell complete fettle's commands and options, and the kinds and names that the server has.",
  examples: [
    ["source <(fettle completion bash)", "in this shell; put it into ~/.bashrc to keep it"],
    ["source <(fettle completion zsh)", "the same for zsh and ~/.zshrc"],
    ["fettle completion fish | source", "the same for fish"],
  ],
  commands: {
    bash: script("bash", [
      ["source <(fettle completion bash)", "in this shell"],
      ["echo 'source <(fettle completion bash)' >> ~/.bashrc", "in all from now on"],
    ]),
    zsh: script("zsh", [
      ["source <(fettle completion zsh)", "in this shell"],
      ["echo 'source <(fettle completion zsh)' >> ~/.zshrc", "in all from now on"],
    ]),
    fish: script("fish", [
      ["fettle completion fish | source", "in this shell"],
      ["fettle completion fish > ~/.config/fish/completions/fettle.fish", "in all from now on"],
    ]),
    candidates: {
      arguments: "[word...]",
      description:
        "Prints what could stand in place of the last word: what the shells ask. Each line is a word, a tab and a summary; " +
        ":files alone stands for files.",
      examples: [["fettle completion candidates -- get si", "the kinds that begin with si"]],
      async run(words, _, terminal) {
        const { candidates } = await import("../completion/candidates.js");
        const { askServer } = await import("../completion/ask-server.js");
        const found = await candidates(words.length === 0 ? [""] : words, (options) =>
          askServer(options, terminal),
        );
        if (found === "files") terminal.stdout.write(":files\n");
        else {
          for (const { word, summary } of found) {
            terminal.stdout.write(summary === undefined ? `${word}\n` : `${word}\t${summary}\n`);
          }
        }
      },
    },
  },
};
