import { EventMetrics } from "./event-metrics.js";
import { Pipeline, type PipelineStage } from "./pipeline.js";
import type { HandlerFactory, BuiltInParts, PipelineHandler, PipelineParts } from "./pipeline-handler.js";
import {
  pipeline,
  type HandlerReference,
  type EventPipelineOptions,
  type StageOptions,
} from "./pipeline-options.js";

/** Built-in handlers by name, each loaded when a stage names it. */
const builtIn: Readonly<Record<string, () => Promise<HandlerFactory>>> = {
  SchemaValidator: async () => (await import("./handlers/schema-validator.js")).schemaValidator,
  SecurityValidator: async () => (await import("./handlers/security-validator.js")).securityValidator,
  MetadataEnricher: async () => (await import("./handlers/metadata-enricher.js")).metadataEnricher,
  ContextBuilder: async () => (await import("./handlers/context-builder.js")).contextBuilder,
  AlertingHandler: async () => (await import("./handlers/alerting-handler.js")).alertingHandler,
  EventLogger: async () => (await import("./handlers/event-logger.js")).eventLogger,
  MetricsCollector: async () => (await import("./handlers/metrics-collector.js")).metricsCollector,
};

/** Handlers of the proxy operator, which configurations for proxies name. */
const proxyHandlers = new Set(["ConfigUpdateHandler", "HealthCheckHandler"]);

/** Names of the built-in handlers. */
export const builtInHandlers: readonly string[] = Object.keys(builtIn);

/**
 * Creates the handlers of a pipeline and starts them. The pipeline gets events by its `subscription`, which the caller starts.
 *
 * @throws {Error} that names all unknown handlers and lists those that exist, or names the handler whose options are invalid.
 */
export async function startPipeline(options: EventPipelineOptions, parts: PipelineParts): Promise<Pipeline> {
  const { handlers = [], observeTime, ...shared } = parts;
  const added = handlersByName(handlers);
  const described = pipeline(options);
  checkNames(described.stages, added);
  const metrics = new EventMetrics({ observeTime });
  const stages: PipelineStage[] = [];
  for (const { name, handlers: listed } of described.stages) {
    const created = await Promise.all(listed.map((each) => create(each, added, { ...shared, metrics })));
    stages.push({ name, handlers: created });
  }
  const started = new Pipeline(stages, described, { clock: parts.clock, metrics });
  for (const { handlers: all } of stages) for (const handler of all) await handler.start?.();
  return started;
}

function handlersByName(handlers: readonly PipelineHandler[]): ReadonlyMap<string, PipelineHandler> {
  const added = new Map<string, PipelineHandler>();
  for (const handler of handlers) {
    const { name } = handler;
    if (name in builtIn) throw new Error(`${name} is a built-in handler: give yours another name`);
    if (added.has(name) && added.get(name) !== handler)
      throw new Error(`there are two handlers named ${name}`);
    added.set(name, handler);
  }
  return added;
}

function checkNames(stages: readonly StageOptions[], added: ReadonlyMap<string, PipelineHandler>): void {
  const unknown = stages.flatMap(({ name: stage, handlers }) =>
    handlers.flatMap((each) => {
      if (typeof each !== "string" && "handle" in each) return [];
      const name = typeof each === "string" ? each : each.name;
      return name in builtIn || added.has(name) ? [] : [{ name, stage }];
    }),
  );
  if (unknown.length === 0) return;
  const listed = unknown.map(({ name, stage }) => `${JSON.stringify(name)} (stage ${stage})`).join(", ");
  const known = [...builtInHandlers, ...added.keys()].join(", ");
  const hint = unknown.some(({ name }) => proxyHandlers.has(name))
    ? "; ConfigUpdateHandler and HealthCheckHandler come with the proxy operator"
    : "";
  throw new Error(
    `the pipeline has unknown handlers: ${listed}; the handlers are ${known}${hint}. Operators and modules can add handlers`,
  );
}

async function create(
  listed: string | HandlerReference | PipelineHandler,
  added: ReadonlyMap<string, PipelineHandler>,
  parts: BuiltInParts,
): Promise<PipelineHandler> {
  if (typeof listed !== "string" && "handle" in listed) return listed;
  const { name, options }: HandlerReference = typeof listed === "string" ? { name: listed } : listed;
  const own = added.get(name);
  if (own !== undefined) {
    if (options === undefined) return own;
    throw new Error(`handler ${name} takes no options: it was created by the module that exports it`);
  }
  const factory = await builtIn[name]?.();
  if (factory === undefined) throw new Error(`there is no handler ${name}`);
  return factory(options, parts);
}
