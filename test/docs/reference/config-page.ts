import { command as run } from "../../../src/cli/commands/run.js";
import { command as up } from "../../../src/cli/commands/up.js";
import type { Setting, SettingType } from "../../../src/plane/config/setting.js";
import { settings, shorthands } from "../../../src/plane/config/settings.js";
import { code, page, table } from "./markdown.js";

const about = `
What can be said of a control plane without writing code: in \`fettle.yaml\` (or the file that \`--config\` or \`FETTLE_CONFIG\` names), in
the environment, and on the command line. Flags go before the environment, that before the file, and that before defaults.
\`fettle config\` shows what holds and where each value was said. [How to configure](../how-to/configure.md) has an example.

In the file, \`\${NAME}\` and \`\${NAME:-default}\` stand for variables of the environment, and \`$\${\` for a plain \`\${\`. Paths are relative to the
file, or to the working folder when a flag or a variable says them. A word that is no setting is an error, with its place in the file.
`;

const variables: readonly (readonly [name: string, what: string])[] = [
  ["FETTLE_CONFIG", "the configuration, where no `--config` is given"],
  ["FETTLE_DEBUG", "set to anything, errors of the command line are shown with their stack"],
  ["KUBECONFIG", "which server commands talk to, where there is no `--kubeconfig`"],
  ["VISUAL, EDITOR", "what `fettle edit` opens"],
  ["NO_COLOR, FORCE_COLOR", "no colours; colours also where output is no terminal"],
];

/** Every setting, in the order in which `fettle config` shows them. */
export function configPage(): string {
  const head = ["setting", "takes", "default", "variable", "flag", "what it is"];
  const rows = settings.map((setting) => {
    const { path, takes, variable = "", summary } = setting;
    const displayed = path.replace(".**", "").replace("*", "NAME");
    return [
      code(displayed),
      takesText(takes),
      defaultText(setting),
      code(variable),
      flagText(setting),
      summary,
    ];
  });
  const short = [...shorthands].map(([word, path]) => `\`${word}: false\` is short for \`${path}: false\`.`);
  return page("The configuration", about, [
    table(head, rows),
    `In \`controllers\`, \`NAME\` is the name of a controller: the plural and group of its kind (\`sites.demo.dev\`) by default. Settings of
a controller override the options in its code; settings that are not given leave them unchanged. ${short.join(" ")} Durations are strings such
as \`500ms\`, \`10s\`, \`5m\` or \`12h\`.`,
    `\`[]\` stands for each item of a list: \`sinks[].type\` is the \`type\` in \`sinks: [{ type: stdout }]\`. Defaults of items, and of sections such as
\`control_loop\`, hold only where the item or the section is there.`,
    "## Other environment variables",
    table(
      ["variable", "what it does"],
      variables.map(([names, what]) => [names.split(", ").map(code).join(", "), what]),
    ),
  ]);
}

function takesText(takes: SettingType): string {
  switch (takes.type) {
    case "integer":
      return takes.max === undefined
        ? `an integer from ${takes.min}`
        : `an integer from ${takes.min} to ${takes.max}`;
    case "number":
      return `a number from ${takes.min}`;
    case "url":
      return `a URL with ${takes.schemes.map(code).join(" or ")}`;
    case "boolean":
      return "`true` or `false`";
    case "choice":
      return `${takes.choices.map(code).join(", ")}${takes.orNumber === true ? ", or a number" : ""}`;
    case "duration":
      if (takes.seconds === true) return "seconds, or a duration";
      return takes.orFalse === true ? "a duration, or `false`" : "a duration";
    case "size":
      return `a size of at least \`${takes.min}\``;
    case "amount":
      return "a number, a size or a duration";
    case "list":
      if (typeof takes.of === "object") return `a list of ${takes.of.choices.map(code).join(", ")}`;
      return `a list of ${takes.of === "path" ? "paths" : takes.of === "number" ? "numbers" : "strings"}`;
    case "any":
      return "anything";
    case "path":
    case "text":
      return `a ${takes.type}`;
  }
}

function defaultText({ default: standard }: Setting): string {
  if (standard === undefined) return "";
  if (Array.isArray(standard)) return standard.length === 0 ? "none" : standard.map(code).join(", ");
  return code(String(standard));
}

/** Flags of a setting with the commands that have them. */
function flagText({ flag }: Setting): string {
  if (flag === undefined) return "";
  const dashed = flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const found = new Set<string>();
  for (const [name, command] of [["up", up] as const, ["run", run] as const]) {
    // The kubeconfig of fettle run is an input, not a setting.
    if (name === "run" && flag === "kubeconfig") continue;
    for (const { flags } of command.options ?? []) {
      const long = /--(?:no-)?[a-z-]+/.exec(flags)?.[0];
      if (long === `--${dashed}` || long === `--no-${dashed}`) found.add(code(long));
    }
  }
  if (found.size === 0) {
    throw new Error(`no option of fettle up or fettle run is the flag ${JSON.stringify(flag)} of a setting`);
  }
  return [...found].join(", ");
}
