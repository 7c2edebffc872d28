import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigBuilder } from "./config-builder.js";
import { ConfigError, type LoadedConfig } from "./config.js";
import { patternOf } from "./setting-path.js";
import { settings } from "./settings.js";

export interface LoadConfigOptions {
  /** Configuration file. Default: `fettle.yaml` in the working folder, if it exists. */
  readonly file?: string | undefined;
  /** Values of command line flags: `{ port: "8800", tls: false }`. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
}

export const defaultConfigFile = "fettle.yaml";

/**
 * Loads the configuration. Flags override environment variables, these override the file, and that overrides defaults.
 *
 * @example
 * const { config, origins } = await loadConfig({ flags: { port: "8800" } });
 * config.listen.port; // 8800
 * origins.get("listen.port"); // { type: "flag", flag: "--port" }
 *
 * @throws {ConfigError} with all errors.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { flags = {}, env = process.env, cwd = process.cwd() } = options;
  const found = await findFile(options.file, cwd, env);
  const builder = new ConfigBuilder(cwd);
  const parts = found === undefined ? [] : builder.readFile(found.path, found.text, env);
  builder.addDefaults(parts, cwd);
  for (const setting of settings) {
    const { variable, flag } = setting;
    const path = patternOf(setting.path);
    const named = variable === undefined ? undefined : env[variable];
    if (variable !== undefined && named !== undefined && named !== "") {
      builder.set(setting, path, named, { type: "environment", name: variable }, cwd);
    }
    const given = flag === undefined ? undefined : flags[flag];
    if (flag !== undefined && given !== undefined) {
      builder.set(setting, path, given, { type: "flag", flag: flagText(flag, given) }, cwd);
    }
  }
  return builder.result(found?.path);
}

/** Flag as it is typed: `--port`, or `--no-tls` for false. */
function flagText(flag: string, value: unknown): string {
  const dashed = flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return value === false ? `--no-${dashed}` : `--${dashed}`;
}

async function findFile(
  named: string | undefined,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const explicit = named ?? (env["FETTLE_CONFIG"] || undefined);
  const path = resolve(cwd, explicit ?? defaultConfigFile);
  try {
    return { path, text: await readFile(path, "utf8") };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && explicit === undefined) return undefined;
    const why =
      code === "ENOENT" ? "it does not exist" : error instanceof Error ? error.message : String(error);
    throw new ConfigError(`cannot read the configuration ${explicit ?? defaultConfigFile}: ${why}`, {
      cause: error,
    });
  }
}
