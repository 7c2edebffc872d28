import type { Command, CommandOption } from "../../../src/cli/command/command.js";
import { commandGroups } from "../../../src/cli/commands/index.js";
import { code, page, table } from "./markdown.js";

const about = `
Every command of \`fettle\`. \`fettle <command> --help\` prints the same in a terminal, and \`fettle completion\` prints
a completion script for your shell. All commands take \`-h, --help\`; \`fettle --version\` prints the version.

| exit code | when |
|---|---|
| 0 | success |
| 1 | failure; of \`fettle diff\` and \`fettle plan\`, also invalid usage |
| 2 | invalid usage or configuration; of \`fettle diff\` and \`fettle plan --exit-code\`: something would change |
| 124 | timeout: \`--timeout\` of \`fettle wait\` and \`fettle delete\` |
| 128 and the number of a signal | interrupted: 130 after Ctrl-C. \`fettle up\` and \`fettle run\` exit with 0 when they are stopped |

Commands that follow changes (\`-w\`, \`-f\`, \`fettle watch\`, \`fettle top\`) run until Ctrl-C. When the connection is lost, they report it on
standard error and reconnect; no change that the server still has is missed. Colours are for terminals only, and \`NO_COLOR\` turns
them off. \`FETTLE_DEBUG=1\` prints errors with stack traces.
`;

/** Every command with its options and examples. */
export async function cliPage(): Promise<string> {
  const sections: string[] = [];
  for (const { title, commands } of commandGroups) {
    const list = commands.map(({ name, summary }) => `- [\`fettle ${name}\`](#fettle-${name}): ${summary}`);
    sections.push(`**${title}**\n\n${list.join("\n")}`);
  }
  for (const { commands } of commandGroups) {
    for (const { name, load } of commands) {
      sections.push(...sectionsOf(`fettle ${name}`, await load(), "##"));
    }
  }
  return page("The command line", about, sections);
}

function sectionsOf(path: string, command: Command, heading: string): string[] {
  const { description, options = [], examples, commands = {} } = command;
  const below = Object.entries(commands);
  const words = command.run === undefined ? "<command>" : (command.arguments ?? "");
  const usage = [path, ...(options.length > 0 ? ["[options]"] : []), words].filter((part) => part !== "");
  const sections = [`${heading} ${path}`, `\`\`\`text\n${usage.join(" ")}\n\`\`\``, description];
  if (options.length > 0) {
    sections.push(
      table(
        ["option", "what it does"],
        options.map((option) => [code(option.flags), optionText(option)]),
      ),
    );
  }
  if (examples.length > 0) {
    const widest = Math.max(...examples.map(([line]) => line.length));
    const lines = examples.map(([line, does]) => `${line.padEnd(widest)}  # ${does}`);
    sections.push(`\`\`\`sh\n${lines.join("\n")}\n\`\`\``);
  }
  for (const [name, each] of below) sections.push(...sectionsOf(`${path} ${name}`, each, `${heading}#`));
  return sections;
}

function optionText({ summary, choices, default: standard, repeated }: CommandOption): string {
  const more = [
    ...(choices === undefined ? [] : [`one of ${choices.map(code).join(", ")}`]),
    ...(standard === undefined || summary.includes("(default") ? [] : [`default ${code(String(standard))}`]),
    ...(repeated === true ? ["may be given several times"] : []),
  ];
  return more.length === 0 ? summary : `${summary}; ${more.join("; ")}`;
}
