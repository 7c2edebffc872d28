import type { EventPipelineOptions } from "../../events/pipeline/pipeline-options.js";
import type { PluginDefinition } from "../../events/plugins/define-plugin.js";
import type { PluginInstallation } from "../../events/plugins/start-plugins.js";
import type { SinkOptions } from "../../events/sinks/sink-of.js";
import { eventsOf, type KindEvents } from "../../events/object/event-naming.js";
import type { Config, LoadedConfig } from "./config.js";
import type { PipelineSettings, PluginSettings } from "./sections/sections.js";

/** Level and format of the log: `debug.level` replaces the level of the file, while flags and variables still override it. */
export function logSettings({ config, origins }: Pick<LoadedConfig, "config" | "origins">): Config["log"] {
  const { log, debug } = config;
  const from = origins.get("log.level")?.type;
  if (debug?.enabled !== true || debug.level === undefined || from === "environment" || from === "flag")
    return log;
  return { ...log, level: debug.level };
}

/** Option `events` of a control plane or an operator. The types of the configuration replace those of modules. */
export function eventOptions(
  { control_loop: loop, events = {} }: Pick<Config, "control_loop" | "events">,
  ofModules: readonly KindEvents[] = [],
) {
  const { types = {}, ...rest } = events;
  const configured = Object.entries(types).map(([kind, prefix]) => kindEvents(kind, prefix));
  return {
    ...rest,
    kinds: [...ofModules, ...configured],
    buffer: loop?.event_buffer_size,
    workers: loop?.worker_pool_size,
  };
}

interface ConfiguredParts {
  readonly pipeline: EventPipelineOptions | undefined;
  readonly sinks: readonly SinkOptions[];
  readonly plugins: readonly (PluginDefinition | PluginInstallation)[];
}

/**
 * Options `pipeline`, `sinks` and `plugins` of a control plane or an operator. Plugins of modules are set up before those of the
 * configuration, whose packages are found from the folder `cwd`.
 *
 * @throws {Error} for a directory of plugins that does not exist, a name that is none, or a pipeline without stages.
 */
export async function eventParts(
  { event_pipeline: stages, sinks = [], plugins }: Pick<Config, "event_pipeline" | "sinks" | "plugins">,
  ofModules: readonly PluginDefinition[],
  cwd: string,
): Promise<ConfiguredParts> {
  return {
    pipeline: stages && (await pipelineOf(stages)),
    // The schema of each type checks them.
    sinks: sinks as readonly SinkOptions[],
    plugins: [...ofModules, ...(plugins === undefined ? [] : await installedPlugins(plugins, cwd))],
  };
}

async function pipelineOf(settings: PipelineSettings): Promise<EventPipelineOptions> {
  const { pipeline } = await import("../../events/pipeline/pipeline-options.js");
  return pipeline({ ...settings, stages: settings.stages ?? [] });
}

/** The variables in the configuration of plugins have been replaced when the file was read. */
async function installedPlugins(
  settings: PluginSettings,
  cwd: string,
): Promise<readonly PluginInstallation[]> {
  const { loadPlugins } = await import("../../events/plugins/load-plugins.js");
  return loadPlugins(settings, { cwd });
}

/** Options `rest` and `debug` of a control plane. */
export function routeOptions({ api = {}, debug }: Pick<Config, "api" | "debug">) {
  const { base_path: basePath, version, endpoints } = api;
  return { rest: { basePath, version, endpoints }, debug };
}

/** Events of a kind such as `Device.racks.dev`, in whatever version. */
function kindEvents(name: string, prefix: string): KindEvents {
  const [kind = "", ...group] = name.split(".");
  return eventsOf(
    { apiVersion: [...(group.length > 0 ? [group.join(".")] : []), "v1"].join("/"), kind },
    prefix,
  );
}
