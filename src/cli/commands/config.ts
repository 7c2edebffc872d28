import type { Command } from "../command/command.js";
import { command as up } from "./up.js";
import { configOption, textOption } from "../command/options.js";

export const command: Command = {
  description:
    "Show the effective configuration and the source of each value: a flag, the environment, fettle.yaml or the default, in " +
    "this order of precedence. Secrets are hidden.\n\n" +
    "In the file, ${NAME} and ${NAME:-default} are replaced by environment variables.",
  options: [
    { flags: "-o, --output <format>", summary: "output format: yaml or json", choices: ["yaml", "json"] },
    configOption,
    ...(up.options ?? []).filter(({ flags }) => /--(port|host|data|store|log) /.test(flags)),
  ],
  examples: [
    ["fettle config", "all settings with value and source"],
    ["fettle config -o yaml > fettle.yaml", "create a configuration file"],
    ["FETTLE_PORT=8800 fettle config -o json", "as JSON"],
  ],
  async run(_, options, { env, cwd, stdout, colors }) {
    const { loadConfig } = await import("../../plane/config/load-config.js");
    const { config: _file, ...flags } = options;
    const loaded = await loadConfig({ file: textOption(options, "config"), flags, env, cwd });
    const { configObject, configYaml, shownSettings } = await import("../../plane/config/show-config.js");
    const shown = shownSettings(loaded, cwd);
    if (options["output"] === "yaml") stdout.write(configYaml(loaded, cwd));
    else if (options["output"] === "json") {
      const from = Object.fromEntries(shown.map((each) => [each.path, each.from]));
      stdout.write(`${JSON.stringify({ config: configObject(loaded, cwd), from }, undefined, 2)}\n`);
    } else {
      const { default: picocolors } = await import("picocolors");
      const paint = picocolors.createColors(colors);
      const rows = shown.map(({ path, value, from }) => [path, valueText(value), from] as const);
      const wide = [0, 1].map((column) => Math.max(7, ...rows.map((row) => row[column]?.length ?? 0)));
      const line = ([path, value, from]: readonly [string, string, string]): string =>
        `${path.padEnd(wide[0] ?? 0)}  ${value.padEnd(wide[1] ?? 0)}  ${from === "default" ? paint.dim(from) : paint.green(from)}\n`;
      stdout.write(
        `${paint.bold(`${"SETTING".padEnd(wide[0] ?? 0)}  ${"VALUE".padEnd(wide[1] ?? 0)}  FROM`)}\n`,
      );
      for (const row of rows) stdout.write(line(row));
    }
  },
};

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
