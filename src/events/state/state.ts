import type { Duration } from "../../model/core.js";
import type { Json } from "../../model/object/json.js";
import type { Memoized, MemoizeOptions } from "./memoize.js";
import type { StateWatch, StateWatchOptions } from "./state-watch.js";

/**
 * Small values by key, for what is no object: the result of a health check, a counter, the time of the last run. Values are JSON.
 * Desired state belongs into objects, which have a schema, a history and access control.
 *
 * @example
 * await state.set("backend/eu-1", { healthy: true }, { ttl: "30s" });
 * await state.get("backend/eu-1"); // { healthy: true }
 * for await (const { key, value } of state.watch("backend/*")) console.log(key, value);
 */
export interface State {
  /** Reads a value, from the cache if possible; undefined if there is none. The value is frozen, since all readers share it. */
  get<T = Json>(key: string): Promise<T | undefined>;
  /**
   * Sets a value: JSON of at most 1 MiB. After `ttl` the key is deleted; `false` makes it permanent. Default: that of the state.
   *
   * @throws {TypeError} for a value that is not JSON. @throws {RangeError} for an invalid key, and a value that is too large.
   */
  set(key: string, value: unknown, options?: { readonly ttl?: Duration | false | undefined }): Promise<void>;
  /** Deletes a key, if there is one. */
  delete(key: string): Promise<void>;
  /**
   * Keys that match a pattern, in order: `*` matches any text including slashes, `?` one character, `[abc]` one of these. Default: all
   * keys.
   */
  keys(pattern?: string, options?: { readonly limit?: number | undefined }): Promise<readonly string[]>;
  /** Changes of the keys that match a pattern, from now on. Default: all keys. */
  watch(pattern?: string, options?: StateWatchOptions): StateWatch;
  /**
   * Keeps the results of a function in this process, by its arguments. Concurrent calls with the same arguments share one call, and
   * failures are not kept.
   *
   * @example
   * const backendStatus = state.memoize((id: string) => fetchStatus(id), { ttl: "5m" });
   */
  memoize<Arguments extends readonly unknown[], Result>(
    fn: (...args: Arguments) => Result | PromiseLike<Result>,
    options?: MemoizeOptions<Arguments>,
  ): Memoized<Arguments, Result>;
  /** The part of the state whose keys begin with a prefix, such as `operators/proxy/`. Its own keys have no prefix. */
  below(prefix: string): State;
}
