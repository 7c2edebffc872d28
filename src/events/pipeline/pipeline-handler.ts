import type { Client } from "../../client/client.js";
import type { Clock } from "../../model/core.js";
import type { CloudEvent, EventInput } from "../../model/cloud-events/cloud-event.js";
import type { Log } from "../../runtime/log/log.js";
import type { EventHandler, HandlerContext } from "../handler.js";
import type { State } from "../state/state.js";
import type { EventTypes } from "../types/event-types.js";
import type { EventMetrics } from "./event-metrics.js";

/** An event of a batch, with the context of its handler. */
export interface BatchItem {
  readonly event: CloudEvent;
  readonly context: HandlerContext;
}

/** End of the way of an event through a pipeline. */
export interface PipelineReport {
  readonly event: CloudEvent;
  /** `rejected`: a handler refused it for good. `failed`: a handler threw; the event may come again. */
  readonly outcome: "processed" | "rejected" | "failed";
  /** Milliseconds from the first stage on. */
  readonly duration: number;
}

/**
 * Handler in a stage of a pipeline. If `handle` returns an event, the following handlers get that one. If it throws an
 * EventRejected, the event becomes a dead letter with this reason, and later handlers do not see it.
 */
export interface PipelineHandler extends EventHandler {
  /**
   * Handles events of the same type that are waiting, of different objects, in place of `handle`. Returns nothing, or a list with one
   * entry per event: nothing, a changed event, or an error. If it throws, its events are handled one by one.
   */
  handleBatch?(items: readonly BatchItem[]): unknown;
  /** Called for every event at the end of its way through the pipeline, also when it was rejected by another handler. */
  settled?(report: PipelineReport): void;
  start?(): Promise<void>;
  stop?(): Promise<void>;
}

/** Tests for a handler by its shape, since another copy of this package may have made it. */
export function isPipelineHandler(value: object): value is PipelineHandler {
  const { name, handle } = value as Partial<PipelineHandler>;
  return typeof name === "string" && typeof handle === "function";
}

/** Parts of a control plane or an operator that handlers of a pipeline use. */
export interface PipelineParts {
  /** Handlers that stages name, besides those that are built in. */
  readonly handlers?: readonly PipelineHandler[] | undefined;
  /** Event types with schemas, besides those of Fettle. */
  readonly types?: EventTypes | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Reads the objects that events name. Without it, ContextBuilder adds nothing. */
  readonly client?: Pick<Client, "find"> | undefined;
  /** Emits events that no handler of an event causes, such as the end of an alert. */
  readonly emit?: ((event: EventInput) => Promise<unknown>) | undefined;
  /** Keeps active alerts across restarts. */
  readonly state?: State | undefined;
  /** Receives the processing time of events that MetricsCollector measures. Default: the histogram `event_processing_time`. */
  readonly observeTime?: ((milliseconds: number) => void) | undefined;
  /** Version of the control plane. */
  readonly version?: string | undefined;
  /** Default: the name of this machine. */
  readonly host?: string | undefined;
}

/** Parts that a built-in handler gets. */
export interface BuiltInParts extends Omit<PipelineParts, "handlers" | "observeTime"> {
  readonly metrics: EventMetrics;
}

/** Creates a handler with its options in the configuration. @throws {Error} for invalid options. */
export type HandlerFactory = (options: unknown, parts: BuiltInParts) => PipelineHandler;
