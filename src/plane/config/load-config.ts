import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { ConfigError, type Config, type LoadedConfig, type Origin } from "./config.js";
import { readConfigText } from "./read-file.js";
import { InvalidValue, readValue, type Value } from "./read-value.js";
import { settings, type Setting } from "./settings.js";

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
  for (const setting of settings) {
    if (setting.default !== undefined)
      builder.set(setting, setting.path, setting.default, { type: "default" }, cwd);
  }
  if (found !== undefined) builder.readFile(found.path, found.text, env);
  for (const setting of settings) {
    const { path, variable, flag } = setting;
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

const secretVariable = /(^|_)(password|passwd|passphrase|secret|token|credentials?|key)$/i;
const passwordInUrl = /:\/\/[^/@\s]*:[^/@\s]+@/;

/** Collects values and errors; later values override earlier ones. */
class ConfigBuilder {
  readonly #values = new Map<string, Value>();
  readonly #origins = new Map<string, Origin>();
  readonly #secrets = new Set<string>();
  readonly #problems: { readonly line: number; readonly text: string }[] = [];
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  set(setting: Setting, path: string, given: unknown, origin: Origin, folder: string): void {
    try {
      const value = readValue(setting, given, folder);
      this.#values.set(path, value);
      this.#origins.set(path, origin);
      if (typeof value === "string" && passwordInUrl.test(value)) this.#secrets.add(path);
      else this.#secrets.delete(path);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      // A variable or a flag is named itself, in place of the setting.
      const where = originText(origin);
      this.#problems.push(
        origin.type === "file"
          ? { line: origin.line, text: `${where}:${origin.column}: ${path}: ${error.message}` }
          : { line: Infinity, text: `${where}: ${error.message}` },
      );
    }
  }

  readFile(path: string, text: string, env: Readonly<Record<string, string | undefined>>): void {
    const file = relative(this.#cwd, path);
    const { values, problems } = readConfigText(text, env);
    for (const { line, column, message } of problems) {
      this.#problems.push({ line, text: `${file}:${line}:${column}: ${message}` });
    }
    for (const { setting, path: at, value, line, column, variables } of values) {
      this.set(setting, at, value, { type: "file", file, line, column }, dirname(path));
      if (variables.some((name) => secretVariable.test(name))) this.#secrets.add(at);
    }
  }

  result(file: string | undefined): LoadedConfig {
    if (this.#problems.length > 0) {
      const sorted = this.#problems.toSorted((a, b) => a.line - b.line);
      throw new ConfigError(sorted.map(({ text }) => text).join("\n"));
    }
    const config: Record<string, unknown> = {};
    for (const [path, value] of this.#values) put(config, segmentsOf(path), value);
    config["controllers"] ??= {};
    return {
      config: config as unknown as Config,
      origins: this.#origins,
      secrets: this.#secrets,
      file,
    };
  }
}

/** Splits a path; names of controllers contain dots: `controllers.sites.demo.dev.backoff.max`. */
export function segmentsOf(path: string): readonly string[] {
  if (!path.startsWith("controllers.")) return path.split(".");
  const rest = path.slice("controllers.".length);
  const tail = settings
    .filter((setting) => setting.path.startsWith("controllers.*."))
    .map((setting) => setting.path.slice("controllers.*".length))
    .find((each) => rest.endsWith(each));
  const name = tail === undefined ? rest : rest.slice(0, -tail.length);
  return ["controllers", name, ...(tail?.slice(1).split(".") ?? [])];
}

function put(into: Record<string, unknown>, [first = "", ...rest]: readonly string[], value: Value): void {
  if (rest.length === 0) {
    into[first] = value;
    return;
  }
  into[first] ??= {};
  put(into[first] as Record<string, unknown>, rest, value);
}

/** Source of a value as text: `fettle.yaml:3`, `$FETTLE_PORT`, `--port`, `default`. */
export function originText(origin: Origin): string {
  switch (origin.type) {
    case "default":
      return "default";
    case "file":
      return `${origin.file}:${origin.line}`;
    case "environment":
      return `$${origin.name}`;
    case "flag":
      return origin.flag;
  }
}
