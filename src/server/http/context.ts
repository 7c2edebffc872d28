import type { Clock } from "../../model/core.js";
import type { Registry } from "../registry/registry.js";
import type { Limits } from "./limits/limits.js";

/** The registry, or anything that does what it does. */
export type ServedRegistry = Pick<Registry, keyof Registry>;

/** What the answers to requests are made of. */
export interface Context {
  readonly registry: ServedRegistry;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Told of what went wrong inside: never of what a client did wrong. */
  readonly onError: (error: unknown) => void;
  /** Watches that are open, so that they can be ended. */
  readonly watches: Set<AbortController>;
}
