import type { Clock } from "../../model/core.js";
import type { Entry, Store, StoreEvent } from "../../store/index.js";
import type { Registry } from "../registry/registry.js";
import type { Caller } from "../request/caller.js";
import type { ChangeListener } from "./changes.js";
import { KeyedWork } from "./keyed-work.js";

export interface ServerControllerOptions {
  /** The API under the controller's own identity. */
  readonly api: Caller;
  readonly registry: Registry;
  readonly store: Store;
  readonly clock: Clock;
  readonly onError?: ((error: unknown, key: string) => void) | undefined;
}

/** Options of controllers that must not act before this server has seen what they act on. */
export interface FollowingControllerOptions extends ServerControllerOptions {
  /** Resolves when this server has processed everything that was written up to a revision. */
  readonly processed: (revision: number) => Promise<void>;
}

/**
 * A controller inside the server. It hears of every change in the store, and reconciles the keys that it adds to its work. It keeps
 * no state that matters: what is left to do is read from the objects, so a crash at any point is repaired by reconciling everything
 * once.
 */
export abstract class ServerController implements ChangeListener {
  protected readonly api: Caller;
  protected readonly registry: Registry;
  protected readonly store: Store;
  protected readonly clock: Clock;
  protected readonly work: KeyedWork;

  constructor({ api, registry, store, clock, onError }: ServerControllerOptions, concurrency?: number) {
    this.api = api;
    this.registry = registry;
    this.store = store;
    this.clock = clock;
    this.work = new KeyedWork({ clock, onError, concurrency, handle: (key) => this.reconcile(key) });
  }

  protected abstract reconcile(key: string): Promise<void>;

  abstract changed(event: StoreEvent): void;

  abstract present(entry: Entry): void;

  stop(): Promise<void> {
    return this.work.stop();
  }

  get isIdle(): boolean {
    return this.work.isIdle;
  }

  /** Resolves when nothing waits or runs. */
  idle(): Promise<void> {
    return this.work.idle();
  }
}
