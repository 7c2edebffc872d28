import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Jiti from "jiti";
import { messageOf } from "../../runtime/log/message-of.js";
import { definePlugin, isPlugin, type PluginDefinition, type PluginDescription } from "./define-plugin.js";
import type { PluginInstallation } from "./start-plugins.js";

/** Plugins of a configuration, as in the section `plugins` of `fettle.yaml`. */
export interface PluginsOptions {
  /** Default: true. */
  readonly enabled?: boolean | undefined;
  /** Folder with a module or a package per plugin. */
  readonly directory?: string | undefined;
  /** Plugins to load, in the order of their setup. */
  readonly installed?: readonly PluginEntry[] | undefined;
}

export interface PluginEntry {
  readonly name: string;
  /** npm package of the plugin. Default: a module in the directory, or a package of its name. */
  readonly package?: string | undefined;
  /** Default: true. */
  readonly enabled?: boolean | undefined;
  /** Start without it if it cannot be loaded or set up. Default: false. */
  readonly optional?: boolean | undefined;
  readonly config?: unknown;
}

export interface LoadPluginsOptions {
  /** Folder from which packages are found. Default: the working folder. */
  readonly cwd?: string | undefined;
  /** Replaces variables, such as `${SLACK_WEBHOOK_URL}`, in texts of configurations. Throws if one is not set. */
  readonly substitute?: ((text: string) => string) | undefined;
}

const endings = [".ts", ".mts", ".js", ".mjs", ".cjs"];
const packageName = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;

/**
 * Finds the plugins of a configuration. They are loaded by {@link startPlugins}, those that are not enabled not at all.
 *
 * @throws {Error} for a malformed entry, or a directory that does not exist.
 */
export function loadPlugins(
  { enabled = true, directory, installed = [] }: PluginsOptions,
  { cwd = process.cwd(), substitute = (text) => text }: LoadPluginsOptions = {},
): readonly PluginInstallation[] {
  if (!enabled) return [];
  const folder = directory === undefined ? undefined : resolve(cwd, directory);
  if (folder !== undefined && !existsSync(folder)) {
    throw new Error(`the directory of plugins, ${folder}, does not exist`);
  }
  return installed
    .filter((entry) => entry.enabled !== false)
    .map((entry) => {
      const { name, optional = false, config } = entry;
      // The name becomes a part of a path.
      if (typeof name !== "string" || !/^[a-z0-9][a-z0-9-]*$/.test(name)) {
        throw new Error(
          `${JSON.stringify(name)} is not a name of a plugin: use lower-case letters, digits and -`,
        );
      }
      if (entry.package !== undefined && !packageName.test(entry.package)) {
        throw new Error(`plugin ${name}: ${JSON.stringify(entry.package)} is not a name of a package`);
      }
      return {
        name,
        optional,
        plugin: () => load(name, find(entry, folder, cwd), cwd),
        config: () => filled(name, "config", config, substitute),
      };
    });
}

/** Replaces variables in all texts of a value. */
function filled(plugin: string, path: string, value: unknown, substitute: (text: string) => string): unknown {
  if (typeof value === "string") {
    try {
      return substitute(value);
    } catch (error) {
      throw new Error(`plugin ${plugin}: ${path}: ${messageOf(error)}`, { cause: error });
    }
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => filled(plugin, `${path}.${index}`, item, substitute));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, filled(plugin, `${path}.${key}`, item, substitute)]),
  );
}

/** Path of the module of a plugin. */
function find({ name, package: named }: PluginEntry, folder: string | undefined, cwd: string): string {
  if (named === undefined && folder !== undefined) {
    const file = endings.map((ending) => join(folder, `${name}${ending}`)).find(existsSync);
    const found = file ?? (existsSync(join(folder, name)) ? entryOf(join(folder, name)) : undefined);
    if (found !== undefined) return found;
  }
  const packaged = packageFolder(named ?? name, cwd);
  const found = packaged && entryOf(packaged);
  if (found !== undefined) return found;
  const places = [
    ...(named === undefined && folder !== undefined ? [`in ${folder}, which has ${contentOf(folder)}`] : []),
    `as the npm package ${named ?? name}`,
  ];
  throw new Error(`plugin ${name} was not found ${places.join(", nor ")}`);
}

function contentOf(folder: string): string {
  const names = readdirSync(folder).filter((each) => !each.startsWith("."));
  return names.length === 0 ? "no files" : names.slice(0, 10).join(", ");
}

/** Folder of an installed package, as Node finds it. */
function packageFolder(name: string, cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(found)) return found;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Main module of a folder: by its package.json, or `index`. */
function entryOf(folder: string): string | undefined {
  const manifest = join(folder, "package.json");
  const main = existsSync(manifest) ? mainOf(JSON.parse(readFileSync(manifest, "utf8"))) : undefined;
  const candidates =
    main === undefined
      ? endings.map((ending) => `index${ending}`)
      : [main, `${main}.js`, join(main, "index.js")];
  return candidates
    .map((each) => join(folder, each))
    .find((path) => existsSync(path) && endings.some((ending) => path.endsWith(ending)));
}

function mainOf(manifest: unknown): string | undefined {
  const { exports, main } = manifest as { readonly exports?: unknown; readonly main?: unknown };
  const choose = (target: unknown): string | undefined => {
    if (typeof target === "string") return target;
    if (typeof target !== "object" || target === null) return undefined;
    const conditions = target as Readonly<Record<string, unknown>>;
    return choose(conditions["."] ?? conditions["node"] ?? conditions["import"] ?? conditions["default"]);
  };
  return choose(exports) ?? (typeof main === "string" ? main : undefined);
}

async function load(name: string, path: string, cwd: string): Promise<PluginDefinition> {
  const shown = relative(cwd, path).startsWith("..") ? path : relative(cwd, path);
  let exports: object;
  try {
    exports = (
      /\.m?ts$/.test(path) ? await importTypescript(path) : await import(pathToFileURL(path).href)
    ) as object;
  } catch (error) {
    throw new Error(`plugin ${name} could not be loaded from ${shown}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const found = Object.values(exports).flatMap((value) => pluginIn(value));
  const plugin = found.find((each) => each.name === name);
  if (plugin !== undefined) return plugin;
  const has = found.length === 0 ? "no plugin" : `only ${found.map((each) => each.name).join(", ")}`;
  throw new Error(
    `plugin ${name} is not in ${shown}, which exports ${has}: export the result of definePlugin()`,
  );
}

function importTypescript(path: string): Promise<unknown> {
  // With `import`, Node would first scan the minified file for its exports, which takes longer than running it.
  const { createJiti } = createRequire(import.meta.url)("jiti") as typeof Jiti;
  return createJiti(path, { fsCache: false, interopDefault: false }).import(path);
}

/** A plugin, or its description: a module without dependencies cannot call `definePlugin`. */
function pluginIn(value: unknown): readonly PluginDefinition[] {
  if (isPlugin(value)) return [value];
  if (typeof value !== "object" || value === null) return [];
  const { name, version, setup, onEvent } = value as Partial<PluginDescription>;
  const isDescription =
    typeof name === "string" &&
    typeof version === "string" &&
    (typeof setup === "function" || typeof onEvent === "function");
  return isDescription ? [definePlugin(value as PluginDescription)] : [];
}
