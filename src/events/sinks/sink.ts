import type { Clock } from "../../model/core.js";
import type { Breakers } from "../../runtime/breaker/breakers.js";
import type { EventHandler, EventSubscription } from "../handler.js";

/** A destination of events outside of this process. Made by {@link sinkOf}. */
export interface Sink extends EventHandler {
  readonly type: "http" | "slack" | "file" | "stdout";
  /** Delivers events to the sink; its name is `sink-` and that of the sink. */
  readonly subscription: EventSubscription;
  /** Ends the sink when its subscription has stopped. */
  close(): Promise<void>;
}

/** Parts of a control plane or an operator that sinks use. */
export interface SinkParts {
  readonly clock?: Clock | undefined;
  /** Circuit breakers of the process, so that those of sinks are shown and reset with the others. Default: own ones. */
  readonly breakers?: Breakers | undefined;
  /** Default: the standard output of the process. */
  readonly stdout?: { write(text: string, done: (error?: Error | null) => void): unknown } | undefined;
}
