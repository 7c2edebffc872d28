import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { ConfigError, type Config, type LoadedConfig, type Origin } from "./config.js";
import { readConfigText } from "./read-file.js";
import { Misfit, readValue, type Value } from "./read-value.js";
import { settings, type Setting } from "./settings.js";

export interface LoadConfigOptions {
  /** The file; `fettle.yaml` in the working folder unless told, which need not be there. */
  readonly file?: string | undefined;
  /** What the command line says, by the flags of the settings: `{ port: "8800", tls: false }`. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
}

export const defaultConfigFile = "fettle.yaml";

/**
 * The configuration that holds: what flags say goes before the environment, that before the file, and that before defaults.
 *
 * @example
 * const { config, origins } = await loadConfig({ flags: { port: "8800" } });
 * config.listen.port; // 8800
 * origins.get("listen.port"); // { type: "flag", flag: "--port" }
 *
 * @throws {ConfigError} with all that is wrong, each with its place and what is allowed.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { flags = {}, env = process.env, cwd = process.cwd() } = options;
  const found = await findFile(options.file, cwd, env);
  const gathered = new Gathered(cwd);
  for (const setting of settings) {
    if (setting.default !== undefined)
      gathered.take(setting, setting.path, setting.default, { type: "default" }, cwd);
  }
  if (found !== undefined) gathered.takeFile(found.path, found.text, env);
  for (const setting of settings) {
    const { path, variable, flag } = setting;
    const named = variable === undefined ? undefined : env[variable];
    if (variable !== undefined && named !== undefined && named !== "") {
      gathered.take(setting, path, named, { type: "environment", name: variable }, cwd);
    }
    const said = flag === undefined ? undefined : flags[flag];
    if (flag !== undefined && said !== undefined) {
      gathered.take(setting, path, said, { type: "flag", flag: flagText(flag, said) }, cwd);
    }
  }
  return gathered.result(found?.path);
}

/** `--no-tls` for what a flag takes away. */
function flagText(flag: string, said: unknown): string {
  const dashed = flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return said === false ? `--no-${dashed}` : `--${dashed}`;
}

async function findFile(
  named: string | undefined,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const asked = named ?? (env["FETTLE_CONFIG"] || undefined);
  const path = resolve(cwd, asked ?? defaultConfigFile);
  try {
    return { path, text: await readFile(path, "utf8") };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && asked === undefined) return undefined;
    const why =
      code === "ENOENT" ? "it does not exist" : error instanceof Error ? error.message : String(error);
    throw new ConfigError(`the configuration ${asked ?? defaultConfigFile} cannot be read: ${why}`, {
      cause: error,
    });
  }
}

const secretVariable = /(^|_)(password|passwd|passphrase|secret|token|credentials?|key)$/i;
const passwordInUrl = /:\/\/[^/@\s]*:[^/@\s]+@/;

/** What has been said so far; later words go before earlier ones. */
class Gathered {
  readonly #values = new Map<string, Value>();
  readonly #origins = new Map<string, Origin>();
  readonly #secrets = new Set<string>();
  readonly #problems: { readonly line: number; readonly text: string }[] = [];
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  take(setting: Setting, path: string, said: unknown, origin: Origin, folder: string): void {
    try {
      const value = readValue(setting, said, folder);
      this.#values.set(path, value);
      this.#origins.set(path, origin);
      if (typeof value === "string" && passwordInUrl.test(value)) this.#secrets.add(path);
      else this.#secrets.delete(path);
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      // A variable and a flag name themselves better than the setting does.
      const where = originText(origin);
      this.#problems.push(
        origin.type === "file"
          ? { line: origin.line, text: `${where}:${origin.column}: ${path}: ${error.message}` }
          : { line: Infinity, text: `${where}: ${error.message}` },
      );
    }
  }

  takeFile(path: string, text: string, env: Readonly<Record<string, string | undefined>>): void {
    const file = relative(this.#cwd, path);
    const { said, problems } = readConfigText(text, env);
    for (const { line, column, message } of problems) {
      this.#problems.push({ line, text: `${file}:${line}:${column}: ${message}` });
    }
    for (const { setting, path: at, value, line, column, variables } of said) {
      this.take(setting, at, value, { type: "file", file, line, column }, dirname(path));
      if (variables.some((name) => secretVariable.test(name))) this.#secrets.add(at);
    }
  }

  result(file: string | undefined): LoadedConfig {
    if (this.#problems.length > 0) {
      const sorted = this.#problems.toSorted((a, b) => a.line - b.line);
      throw new ConfigError(sorted.map(({ text }) => text).join("\n"));
    }
    const config: Record<string, unknown> = {};
    for (const [path, value] of this.#values) put(config, stepsOf(path), value);
    config["controllers"] ??= {};
    return {
      config: config as unknown as Config,
      origins: this.#origins,
      secrets: this.#secrets,
      file,
    };
  }
}

/** Names of controllers have dots of their own: `controllers.sites.demo.dev.backoff.max`. */
export function stepsOf(path: string): readonly string[] {
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

/** Where a value was said, in a word: `fettle.yaml:3`, `$FETTLE_PORT`, `--port`, `default`. */
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
