import type { PipelineHandler } from "../../events/pipeline/pipeline-handler.js";
import type { EventPipelineOptions } from "../../events/pipeline/pipeline-options.js";
import type { PluginDefinition } from "../../events/plugins/define-plugin.js";
import type { PluginsOptions } from "../../events/plugins/load-plugins.js";
import type { PluginInstallation } from "../../events/plugins/start-plugins.js";
import type { SinkOptions } from "../../events/sinks/sink-of.js";
import type { EventTypeDefinition } from "../../events/types/event-type.js";

/** Pipeline, sinks and plugins. */
export interface EventPartsOptions {
  /** Stages that events pass, made by `pipeline()`. */
  readonly pipeline?: EventPipelineOptions | undefined;
  /** Handlers that stages of the pipeline name, besides those that are built in. */
  readonly handlers?: readonly PipelineHandler[] | undefined;
  /** Event types with schemas, made by `eventType()`, by which the pipeline validates events. */
  readonly eventTypes?: readonly EventTypeDefinition[] | undefined;
  /** Destinations of events outside of this process. */
  readonly sinks?: readonly SinkOptions[] | undefined;
  /** Plugins, made by `definePlugin()`, or where to find them. */
  readonly plugins?: readonly (PluginDefinition | PluginInstallation)[] | PluginsOptions | undefined;
}

/** Tests whether there is anything to start: the code of these parts is loaded for those who use them. */
export function hasEventParts({ pipeline, sinks = [], plugins = [] }: EventPartsOptions): boolean {
  const count = Array.isArray(plugins)
    ? plugins.length
    : ((plugins as PluginsOptions).installed ?? []).length;
  return pipeline !== undefined || sinks.length > 0 || count > 0;
}
