import type { Command } from "../command/command.js";
import type { Shell } from "../completion/scripts.js";

function script(shell: Shell, examples: Command["examples"]): Command {
  return {
    description: `Print the completion script for ${shell}.`,
    examples,
    async run(_, __, { stdout }) {
      const { scripts } = await import("../completion/scripts.js");
      stdout.write(scripts[shell]);
    },
  };
}

export const command: Command = {
  description:
    "Print a shell completion script. It completes commands, options, and the kinds and objects of the server.",
  examples: [
    ["source <(fettle completion bash)", "in this shell; add it to ~/.bashrc to keep it"],
    ["source <(fettle completion zsh)", "the same for zsh and ~/.zshrc"],
    ["fettle completion fish | source", "the same for fish"],
  ],
  commands: {
    bash: script("bash", [
      ["source <(fettle completion bash)", "in this shell"],
      ["echo 'source <(fettle completion bash)' >> ~/.bashrc", "in all new shells"],
    ]),
    zsh: script("zsh", [
      ["source <(fettle completion zsh)", "in this shell"],
      ["echo 'source <(fettle completion zsh)' >> ~/.zshrc", "in all new shells"],
    ]),
    fish: script("fish", [
      ["fettle completion fish | source", "in this shell"],
      ["fettle completion fish > ~/.config/fish/completions/fettle.fish", "in all new shells"],
    ]),
    candidates: {
      arguments: "[word...]",
      description:
        "Print the candidates for the last word; used by the completion scripts. Each line is a word, a tab and a summary; " +
        ":files alone stands for file names.",
      examples: [["fettle completion candidates -- get si", "kinds that start with si"]],
      async run(words, _, terminal) {
        const { candidates } = await import("../completion/candidates.js");
        const { completionServer } = await import("../completion/completion-server.js");
        const { commandGroups } = await import("./index.js");
        const { withRecordedCommands } = await import("../operators/operator-commands.js");
        const groups = await withRecordedCommands(commandGroups, terminal);
        // The module of an operator may be gone, or fail.
        const found = await candidates(words.length === 0 ? [""] : words, groups, (options) =>
          completionServer(options, terminal),
        ).catch(() => []);
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
