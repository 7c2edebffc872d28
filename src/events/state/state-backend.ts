import type { Glob } from "../../model/glob/glob.js";

/** A stored value. */
export interface StateRecord {
  /** The value as JSON text. */
  readonly json: string;
  /** Time of expiry on this machine's clock, in milliseconds since 1970. Default: never. */
  readonly expires?: number | undefined;
}

/**
 * Receiver of the changes of a backend. A backend calls `resumed` when it is subscribed: at once, or as soon as it is connected.
 * Between `interrupted` and the next `resumed`, changes may be lost.
 */
export interface StateListener {
  /** `json` is undefined when the key was deleted or has expired. */
  changed(key: string, json: string | undefined): void;
  interrupted(): void;
  resumed(): void;
}

/**
 * Key/value storage below the state API, which validates keys and values, caches, and distributes changes.
 *
 * Promise: a read that starts after a write was acknowledged returns that write or a later one. All changes that are made after
 * `subscribe` was called in this process, or after `resumed` in others, are delivered in order, unless the subscription is interrupted.
 */
export interface StateBackend extends AsyncDisposable {
  /** Name for messages: `store`, `redis`, `memory`. */
  readonly name: string;
  get(key: string): Promise<StateRecord | undefined>;
  /** Sets a key; after `ttl`, an integer of milliseconds, the key is deleted. Without a `ttl` it is permanent. */
  set(key: string, json: string, ttl: number | undefined): Promise<void>;
  /** Deletes a key, if there is one. */
  delete(key: string): Promise<void>;
  /** Keys that match, in order, at most `limit`. */
  keys(glob: Glob, limit: number): Promise<readonly string[]>;
  /** Delivers all changes until the returned function is called. There is one subscription at a time. */
  subscribe(listener: StateListener): () => void;
}

/** The backend of the state cannot be reached, or refused a command. A write that fails with it may have been made. */
export class StateUnavailable extends Error {
  override readonly name = "StateUnavailable";
}
