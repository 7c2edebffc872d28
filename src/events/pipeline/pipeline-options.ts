import type { DeliveryOptions } from "../handler.js";
import type { PipelineHandler } from "./pipeline-handler.js";

/** Handler with options, by its name. */
export interface HandlerReference {
  readonly name: string;
  readonly options?: unknown;
}

export interface StageOptions {
  readonly name: string;
  /** Names of handlers, or handlers themselves. */
  readonly handlers: readonly (string | HandlerReference | PipelineHandler)[];
}

/** Argument of {@link pipeline}. */
export interface EventPipelineOptions extends DeliveryOptions {
  readonly stages: readonly StageOptions[];
  /** Name of its subscription. Default: `pipeline`. */
  readonly name?: string | undefined;
  /** Patterns of event types that it gets. Default: all events. */
  readonly on?: string | readonly string[] | undefined;
  /** Resume after a restart where the pipeline stopped. Default: only events from now on. */
  readonly durable?: boolean | undefined;
  /** Most events that a handler with `handleBatch` gets at once. Default: 100. */
  readonly batchSize?: number | undefined;
}

/**
 * Defines a pipeline: stages that every event passes in order, with handlers by name or as objects.
 *
 * @example
 * const events = pipeline({
 *   stages: [
 *     { name: "validation", handlers: ["SchemaValidator", { name: "SecurityValidator", options: { maxSize: "64Ki" } }] },
 *     { name: "persistence", handlers: ["EventLogger", "MetricsCollector"] },
 *   ],
 * });
 *
 * @throws {RangeError} for a stage without a name or handlers, and for two stages with the same name.
 */
export function pipeline(options: EventPipelineOptions): EventPipelineOptions {
  const seen = new Set<string>();
  if (options.stages.length === 0) throw new RangeError("the pipeline has no stages");
  for (const [index, { name, handlers }] of options.stages.entries()) {
    if (typeof name !== "string" || name === "") {
      throw new RangeError(`stage ${index + 1} of the pipeline has no name`);
    }
    if (seen.has(name)) throw new RangeError(`the pipeline has two stages named ${JSON.stringify(name)}`);
    seen.add(name);
    if (!Array.isArray(handlers) || handlers.length === 0) {
      throw new RangeError(`stage ${JSON.stringify(name)} of the pipeline has no handlers`);
    }
  }
  const { batchSize = 1 } = options;
  if (!Number.isInteger(batchSize) || batchSize < 1) {
    throw new RangeError(`the batchSize of the pipeline must be an integer from 1, not ${batchSize}`);
  }
  return options;
}
