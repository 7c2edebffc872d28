import type { Command, CommandOption } from "../../../src/cli/command/command.js";
import { commandGroups } from "../../../src/cli/commands/index.js";
import { code, page, table } from "./markdown.js";

const about = `
Every command of \`fettle\`. \`fettle <command> --help\` shows the same in a terminal, and \`fettle completion\` makes a
shell complete it. All commands take \`-h, --help\`; \`fettle --version\` tells the version.

| exit code | when |
|---|---|
| 0 | all went well |
| 1 | it failed; of \`fettle diff\`, and of \`fettle plan --exit-code\`: something would change |
| 2 | it was called wrongly, or the configuration is wrong; of \`fettle diff\`, also that it failed |
| 124 | the time was over: \`--timeout\` of \`fettle wait\` and \`fettle delete\` |
| 128 and the number of a signal | it was interrupted: 130 after Ctrl-C. \`fettle up\` and \`fettle run\` end with 0: stopping them is how they end |

What follows something (\`-w\`, \`-f\`, \`fettle watch\`, \`fettle top\`) goes on until Ctrl-C: when the server goes away, that is said on standard
error, and it is tried again until it is back; nothing that the server remembers is missed. Colours are for terminals only, and
\`NO_COLOR\` turns them off. \`FETTLE_DEBUG=1\` shows where in the code an error comes from.
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
