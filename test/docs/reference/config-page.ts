import { command as run } from "../../../src/cli/commands/run.js";
import { command as up } from "../../../src/cli/commands/up.js";
import { settings, shorthands, type Setting, type SettingType } from "../../../src/plane/config/settings.js";
import { code, page, table } from "./markdown.js";

const about = `
Settings of a control plane and of an operator. Set them by flags, by environment variables or in \`fettle.yaml\` (\`--config\` or \`FETTLE_CONFIG\` names
another file), in this order of precedence. \`fettle config\` shows the effective values and the source of each.
[How to configure](../how-to/configure.md) has an example.

In the file, \`\${NAME}\` and \`\${NAME:-default}\` are replaced by environment variables; \`$\${\` is a plain \`\${\`. Paths in the file are relative to the file;
paths in flags and variables are relative to the working directory. An unknown setting is an error that names its position in the file.
`;

const variables: readonly (readonly [name: string, what: string])[] = [
  ["FETTLE_CONFIG", "configuration file, if `--config` is not set"],
  ["FETTLE_DEBUG", "if set, errors of commands are printed with their stack trace"],
  ["KUBECONFIG", "kubeconfig of commands, if `--kubeconfig` is not set"],
  ["VISUAL, EDITOR", "editor of `fettle edit`"],
  ["NO_COLOR, FORCE_COLOR", "disable colours; enable colours even if the output is not a terminal"],
];

/** Every setting, in the order in which `fettle config` shows them. */
export function configPage(): string {
  const head = ["setting", "takes", "default", "variable", "flag", "description"];
  const rows = settings.map((setting) => {
    const { path, takes, variable = "", summary } = setting;
    const shown = path.replace("*", "NAME");
    return [code(shown), takesText(takes), defaultText(setting), code(variable), flagText(setting), summary];
  });
  const short = [...shorthands].map(([word, path]) => `\`${word}: false\` is short for \`${path}: false\`.`);
  return page("Configuration", about, [
    table(head, rows),
    `\`NAME\` is the name of a controller: the plural and group of its kind (\`sites.demo.dev\`) unless its code sets a name. Settings here
override those in the code of the controller. ${short.join(" ")} Durations are strings such
as \`500ms\`, \`10s\`, \`5m\` or \`12h\`.`,
    "## Other environment variables",
    table(
      ["variable", "effect"],
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
    case "boolean":
      return "`true` or `false`";
    case "choice":
      return takes.choices.map(code).join(", ");
    case "duration":
      return takes.orFalse === true ? "a duration, or `false`" : "a duration";
    case "size":
      return `a size of at least \`${takes.min}\``;
    case "list":
      return `a list of ${takes.of === "path" ? "paths" : "strings"}`;
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

/** The flags as the commands have them, with whose they are. */
function flagText({ flag }: Setting): string {
  if (flag === undefined) return "";
  const dashed = flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const found = new Set<string>();
  for (const [name, command] of [["up", up] as const, ["run", run] as const]) {
    // The kubeconfig of fettle run is one to read, and no setting.
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
