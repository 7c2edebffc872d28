import type { Command } from "../command.js";

export const command: Command = {
  description:
    "Show the effective configuration and the source of each value: a flag, the environment, fettle.yaml or the default, in " +
    "this order of precedence. Secrets are hidden.\n\n" +
    "In the file, ${NAME} and ${NAME:-default} are replaced by environment variables.",
  options: [
    { flags: "-o, --output <format>", summary: "output format: yaml or json", choices: ["yaml", "json"] },
    { flags: "-c, --config <file>", summary: "configuration file (default: fettle.yaml, if it exists)" },
    { flags: "-p, --port <port>", summary: "as in fettle up" },
    { flags: "--host <address>", summary: "as in fettle up" },
    { flags: "--data <folder>", summary: "as in fettle up" },
    { flags: "--store <store>", summary: "as in fettle up" },
    { flags: "--log <format>", summary: "as in fettle up" },
  ],
  examples: [
    ["fettle config", "all settings with value and source"],
    ["fettle config -o yaml > fettle.yaml", "create a configuration file"],
    ["FETTLE_PORT=8800 fettle config -o json", "as JSON"],
  ],
  async run(_, options, { env, cwd, stdout, colors }) {
    const { loadConfig } = await import("../../plane/config/load-config.js");
    const { config: file, ...flags } = options;
    const loaded = await loadConfig({ file: typeof file === "string" ? file : undefined, flags, env, cwd });
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
  return String(value);
}
