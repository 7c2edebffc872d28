import { untilAborted } from "../../client/async/until-aborted.js";
import type { Clock } from "../../model/core.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import type { Family } from "../../runtime/observe/metrics/family.js";
import { messageOf } from "../../runtime/log/message-of.js";
import { EventRejected, isRejection } from "../event-rejected.js";
import type { EventSubscription, HandlerContext } from "../handler.js";
import { subscription } from "../subscription.js";
import { BatchCollector } from "./batch-collector.js";
import type { EventMetrics } from "./event-metrics.js";
import type { PipelineHandler, PipelineReport } from "./pipeline-handler.js";
import type { EventPipelineOptions } from "./pipeline-options.js";

/** A stage with its handlers, in order. */
export interface PipelineStage {
  readonly name: string;
  readonly handlers: readonly PipelineHandler[];
}

interface Step {
  readonly stage: string;
  readonly handler: PipelineHandler;
  readonly batches: BatchCollector | undefined;
}

const defaultBatchSize = 100;
const fixedAttributes = ["specversion", "id", "source", "type"] as const;

/**
 * Stages that every event passes in order. Events of different objects are on their way at the same time; the events of one object
 * come one after the other, since its subscription delivers the next one when the pipeline is done with the one before.
 */
export class Pipeline {
  readonly stages: readonly PipelineStage[];
  /** Delivers events to the pipeline. */
  readonly subscription: EventSubscription;
  readonly #steps: readonly Step[];
  readonly #clock: Clock;
  readonly #metrics: EventMetrics;

  constructor(
    stages: readonly PipelineStage[],
    options: EventPipelineOptions,
    { clock, metrics }: { readonly clock: Clock; readonly metrics: EventMetrics },
  ) {
    const { stages: _, batchSize = defaultBatchSize, name = "pipeline", ...delivery } = options;
    this.stages = stages;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#steps = stages.flatMap(({ name: stage, handlers }) =>
      handlers.map((handler) => ({ stage, handler, batches: collectorOf(handler, batchSize, metrics) })),
    );
    this.subscription = subscription({
      // Enough for batches to form while a handler is busy.
      concurrency: batchSize,
      ...delivery,
      name,
      handle: (event, context) => this.handle(event, context),
    });
  }

  /** Sends an event through all stages. Returns it with the changes of the handlers. */
  async handle(event: CloudEvent, context: HandlerContext): Promise<CloudEvent> {
    const started = this.#clock.now();
    let current = event;
    let outcome: PipelineReport["outcome"] = "processed";
    let step: Step | undefined;
    try {
      for (step of this.#steps) {
        context.signal.throwIfAborted();
        const { handler, batches } = step;
        if (handler.canHandle?.(current) === false) continue;
        const item = { event: current, context };
        const result =
          batches === undefined
            ? await untilAborted(callHandler(handler, item), context.signal)
            : await batches.handle(item);
        if (isEvent(result)) current = checkChange(current, result);
      }
      return current;
    } catch (error) {
      outcome = isRejection(error) ? "rejected" : "failed";
      throw located(error, step);
    } finally {
      this.#report({ event: current, outcome, duration: this.#clock.now() - started });
    }
  }

  /** Metrics of the handlers, for `/metrics`. */
  families(): readonly Family[] {
    return this.#metrics.families();
  }

  async stop(): Promise<void> {
    for (const { handler } of this.#steps.toReversed()) await handler.stop?.();
  }

  #report(report: PipelineReport): void {
    for (const { handler } of this.#steps) {
      try {
        handler.settled?.(report);
      } catch {
        // The event has been handled: nobody could repair this by handling it again.
      }
    }
  }
}

async function callHandler(
  handler: PipelineHandler,
  { event, context }: { readonly event: CloudEvent; readonly context: HandlerContext },
): Promise<unknown> {
  return handler.handle(event, context);
}

function collectorOf(
  handler: PipelineHandler,
  maxSize: number,
  metrics: EventMetrics,
): BatchCollector | undefined {
  if (handler.handleBatch === undefined) return undefined;
  const onBatch = (size: number): void => metrics.addBatch(handler.name, size);
  return new BatchCollector(handler as PipelineHandler & { handleBatch: () => unknown }, {
    maxSize,
    onBatch,
  });
}

/** Tests for an event: handlers may return anything else, which is ignored. */
function isEvent(value: unknown): value is CloudEvent {
  if (typeof value !== "object" || value === null) return false;
  const { specversion, id, type, source } = value as Partial<CloudEvent>;
  return [specversion, id, type, source].every((each) => typeof each === "string");
}

/** The log and the ordering of events rely on these attributes. */
function checkChange(before: CloudEvent, after: CloudEvent): CloudEvent {
  const changed = fixedAttributes.find((name) => before[name] !== after[name]);
  if (changed === undefined) return after;
  throw new Error(
    `it changed the ${changed} of the event from ${JSON.stringify(before[changed])} to ${JSON.stringify(after[changed])}: only data and other attributes may change; emit a new event instead`,
  );
}

/** The same error with the stage and the handler in its message. */
function located(error: unknown, step: Step | undefined): unknown {
  if (step === undefined || !(error instanceof Error)) return error;
  const message = `${step.handler.name} (stage ${step.stage}): ${messageOf(error)}`;
  return isRejection(error)
    ? new EventRejected(message, { cause: error })
    : Object.assign(new Error(message, { cause: error }), { name: error.name });
}
