import type { z } from "zod";
import { keepProcessAlive } from "../../client/async/keep-process-alive.js";
import { duration, within, type Duration } from "../../model/core.js";
import type { Check, CheckOptions } from "../../runtime/health/health.js";
import { messageOf } from "../../runtime/log/message-of.js";
import type { EventSubscription } from "../handler.js";
import type { PluginDefinition } from "./define-plugin.js";
import { RunningPlugin, type PluginParts } from "./running-plugin.js";

/** A plugin to start. */
export interface PluginInstallation {
  readonly name: string;
  /** The plugin, or a function that loads it. */
  readonly plugin: PluginDefinition | (() => Promise<PluginDefinition>);
  /** Its configuration, or a function that reads it. */
  readonly config?: unknown;
  /** Start without it if it cannot be loaded or set up. */
  readonly optional?: boolean | undefined;
}

export interface StartPluginsOptions extends PluginParts {
  /** Time limit for the setup of one plugin. Default: 30s. */
  readonly setupTimeout?: Duration | undefined;
}

/** Health check of a plugin. */
export interface PluginHealthCheck extends CheckOptions {
  /** `plugin-NAME`. */
  readonly name: string;
  readonly check: Check;
}

/** Plugins that have been set up. */
export interface RunningPlugins {
  /** Names and versions of the plugins, in the order of their setup; `error` for optional ones that could not be started. */
  readonly plugins: readonly { readonly name: string; readonly version?: string; readonly error?: string }[];
  /** Subscriptions to start. */
  readonly subscriptions: readonly EventSubscription[];
  readonly healthChecks: readonly PluginHealthCheck[];
  /** Stops the plugins in reverse order, after their subscriptions. */
  stop(): Promise<void>;
}

const defaultSetupTimeout = "30s";

/**
 * Sets up plugins in order. Call `stop` after their subscriptions have ended.
 *
 * @throws {Error} that names the plugin that could not be loaded, has an invalid configuration, or failed or took too long in setup,
 * unless it is optional. Plugins that were set up before it are stopped.
 */
export async function startPlugins(
  plugins: readonly (PluginDefinition | PluginInstallation)[],
  options: StartPluginsOptions,
): Promise<RunningPlugins> {
  const all = plugins.map(installationOf);
  checkNames(all);
  const running: RunningPlugin[] = [];
  const listed: RunningPlugins["plugins"][number][] = [];
  const healthChecks: PluginHealthCheck[] = [];
  const stop = async (): Promise<void> => {
    for (const each of running.splice(0).toReversed()) await each.stop();
  };
  const release = keepProcessAlive();
  try {
    for (const installation of all) {
      const { name, optional = false } = installation;
      const check = { name: `plugin-${name}`, critical: false };
      try {
        const started = await start(installation, options);
        running.push(started);
        listed.push({ name, version: started.definition.version });
        healthChecks.push({ ...check, check: (signal) => started.check(signal) });
      } catch (error) {
        if (!optional) throw error;
        const message = messageOf(error);
        options.log.warn({ plugin: name }, `${message}; it is optional, so the others start`);
        listed.push({ name, error: message });
        healthChecks.push({ ...check, check: () => ({ ok: false, message }) });
      }
    }
  } catch (error) {
    await stop();
    throw error;
  } finally {
    release();
  }
  return {
    plugins: listed,
    subscriptions: running.flatMap(({ subscription }) => subscription ?? []),
    healthChecks,
    stop,
  };
}

function installationOf(plugin: PluginDefinition | PluginInstallation): PluginInstallation {
  return "plugin" in plugin ? plugin : { name: plugin.name, plugin };
}

function checkNames(all: readonly PluginInstallation[]): void {
  const seen = new Set<string>();
  for (const { name } of all) {
    if (seen.has(name)) throw new Error(`plugin ${name} is installed twice`);
    seen.add(name);
  }
}

async function start(
  { name, plugin, config }: PluginInstallation,
  { setupTimeout = defaultSetupTimeout, ...parts }: StartPluginsOptions,
): Promise<RunningPlugin> {
  const definition = typeof plugin === "function" ? await plugin() : plugin;
  const read = readConfig(definition, typeof config === "function" ? (config as () => unknown)() : config);
  const running = new RunningPlugin(definition, read, parts);
  try {
    const limit = { clock: parts.clock, limit: duration(setupTimeout), what: "its setup" };
    await within(limit, () => running.setUp());
    return running;
  } catch (error) {
    await running.stop();
    throw new Error(`plugin ${name} could not be set up: ${messageOf(error)}`, { cause: error });
  }
}

/** Validates a configuration. Messages have the names of fields, and not their values: one of them may be a secret. */
function readConfig({ name, config: schema }: PluginDefinition, given: unknown): unknown {
  if (schema === undefined) return given ?? {};
  let result: z.ZodSafeParseResult<unknown>;
  try {
    result = schema.safeParse(given ?? {});
  } catch (error) {
    const path = ["config", ...throwingField(schema, given)].join(".");
    throw new Error(`plugin ${name} has an invalid configuration: ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path, message }) => `${["config", ...path].map(String).join(".")}: ${message}`,
  );
  throw new Error(`plugin ${name} has an invalid configuration: ${problems.join("; ")}`);
}

/** Path of the field whose transformation throws, such as `.transform(duration)`: zod passes the error on without the field. */
function throwingField(schema: z.ZodType, given: unknown): readonly string[] {
  if (!("shape" in schema) || typeof given !== "object" || given === null) return [];
  for (const [field, inner] of Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)) {
    const value = (given as Readonly<Record<string, unknown>>)[field];
    try {
      inner.safeParse(value);
    } catch {
      return [field, ...throwingField(inner, value)];
    }
  }
  return [];
}
