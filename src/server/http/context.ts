import type { Clock } from "../../model/core.js";
import type { RequestPipeline } from "../request/pipeline.js";
import type { Exchange } from "./exchange.js";
import type { Limits } from "./limits/limits.js";

/** Parts that all HTTP requests share. */
export interface HttpContext {
  readonly pipeline: RequestPipeline;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Receives errors of the server itself, never those of a client. */
  readonly onError: (error: unknown) => void;
  /** Open watches and requests of extensions, so that they can be ended. */
  readonly watches: Map<AbortController, Exchange>;
}
