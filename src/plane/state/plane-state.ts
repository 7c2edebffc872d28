import { memoryState } from "../../events/state/memory-state.js";
import { openState, type OpenState } from "../../events/state/open-state.js";
import { redisState } from "../../events/state/redis/redis-state.js";
import type { StateBackend } from "../../events/state/state-backend.js";
import { lazyChild, type Log } from "../../runtime/log/log.js";
import type { Clock, Duration } from "../../model/core.js";
import type { Store } from "../../store/index.js";
import { stateBackends } from "../config/config.js";
import { storeState } from "./store-state.js";

/** Where the state of a control plane or an operator is kept. */
export interface PlaneStateOptions {
  /**
   * `"store"` is that of the control plane, `"redis"` the server at `url`, `"memory"` this process. Default: redis with a `url`;
   * otherwise the store in a control plane, and memory with a warning in an operator.
   */
  readonly backend?: (typeof stateBackends)[number] | StateBackend | undefined;
  /** URL of Redis: `redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`, or `rediss://` for TLS. */
  readonly url?: string | undefined;
  /** Values in the cache; 0 for none. Default: 1,000. */
  readonly cache?: number | undefined;
  /** Time to live of keys that are set without one. Default: they are permanent. */
  readonly ttl?: Duration | undefined;
}

interface PlaneStateParts {
  /** Undefined in an operator. */
  readonly store: Store | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Wraps the backend, such as to log its operations. */
  readonly wrap?: ((backend: StateBackend) => StateBackend) | undefined;
}

/**
 * Opens the state of a control plane or an operator. Redis is connected to with the first use.
 *
 * @throws {RangeError} for invalid options.
 */
export function planeState(
  { backend, url, cache, ttl }: PlaneStateOptions = {},
  parts: PlaneStateParts,
): OpenState {
  const { clock, wrap = (same) => same } = parts;
  const log = lazyChild(parts.log, () => ({ component: "state" }));
  const created = backendOf(backend, url, { ...parts, log });
  const wrapped = typeof created === "function" ? () => wrap(created()) : wrap(created);
  return openState({ backend: wrapped, cache, ttl, clock, log });
}

function backendOf(
  backend: PlaneStateOptions["backend"],
  url: string | undefined,
  { store, clock, log }: PlaneStateParts,
): StateBackend | (() => StateBackend) {
  if (url !== undefined && backend !== undefined && backend !== "redis") {
    throw new RangeError("state.url is for Redis only: remove it, or set state.backend to redis");
  }
  if (typeof backend === "object") return backend;
  switch (backend ?? (url === undefined ? undefined : "redis")) {
    case "redis":
      if (url === undefined) {
        throw new RangeError("state.backend redis needs state.url, such as redis://127.0.0.1:6379/0");
      }
      return atUrl(url, clock, log);
    case "memory":
      return memoryState({ clock });
    case "store":
      if (store !== undefined) return storeState(store, { clock });
      throw new RangeError(
        "state.backend store needs a control plane: on Kubernetes, choose redis or memory",
      );
    case undefined:
      return store === undefined ? () => volatileState(clock, log) : storeState(store, { clock });
    default:
      throw new RangeError(
        `state.backend must be ${stateBackends.join(", ")} or a StateBackend, not ${JSON.stringify(backend)}`,
      );
  }
}

function atUrl(url: string, clock: Clock, log: Log): StateBackend {
  try {
    return redisState({ url, clock, log });
  } catch (error) {
    throw new RangeError(`state.url: ${(error as Error).message}`, { cause: error });
  }
}

function volatileState(clock: Clock, log: Log): StateBackend {
  log.warn(
    {},
    "the state is kept in memory: it is lost when this process ends, and other processes do not see it; set state.url to a Redis server, or state.backend to memory if that is intended",
  );
  return memoryState({ clock });
}
