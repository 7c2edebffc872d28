import { onAbort } from "../../client/async/on-abort.js";
import type { Json } from "../../model/object/json.js";

/** A change of a key. */
export interface StateChange {
  readonly key: string;
  /** Undefined when the key was deleted or has expired. */
  readonly value: Json | undefined;
}

export interface StateWatchOptions {
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined;
  /** Called when changes may have been missed, because the connection to Redis was lost: read again what you depend on. */
  readonly onGap?: (() => void) | undefined;
}

/** Changes of keys. Ends when the loop is left, the signal aborts, or the state is closed. */
export interface StateWatch extends AsyncIterableIterator<StateChange> {
  /** Resolves when changes by other processes are seen too. Changes by this process are seen from the call of `watch` on. */
  readonly ready: Promise<void>;
}

/** A reader of a watch fell behind by too many changes. Read the keys again, and watch anew. */
export class StateWatchTooSlow extends Error {
  override readonly name = "StateWatchTooSlow";
}

/** Backlog at which a slow reader is dropped: number of changes, and sum of their values' lengths as JSON. */
const maxChanges = 10_000;
const maxLength = 16 * 2 ** 20;

/** The queue between the changes of a state and the reader of one watch. */
export class StateWatchQueue implements StateWatch {
  readonly ready: Promise<void>;
  readonly onGap: (() => void) | undefined;
  readonly #pending: { readonly change: StateChange; readonly length: number }[] = [];
  readonly #readers: ((result: IteratorResult<StateChange>) => void)[] = [];
  readonly #onEnd: (queue: StateWatchQueue) => void;
  readonly #stopListening: () => void;
  #length = 0;
  #isEnded = false;
  #failure: Error | undefined;

  constructor(
    ready: Promise<void>,
    { signal, onGap }: StateWatchOptions,
    onEnd: (queue: StateWatchQueue) => void,
  ) {
    this.ready = ready;
    this.onGap = onGap;
    this.#onEnd = onEnd;
    this.#stopListening = signal === undefined ? () => {} : onAbort(signal, () => this.end());
    if (signal?.aborted === true) this.end();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  push(change: StateChange, length: number): void {
    if (this.#isEnded) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader({ done: false, value: change });
      return;
    }
    this.#pending.push({ change, length });
    this.#length += length;
    if (this.#pending.length <= maxChanges && this.#length <= maxLength) return;
    this.#failure = new StateWatchTooSlow(
      `the reader of a state watch fell behind by ${this.#pending.length} changes; read the keys again, and watch anew`,
    );
    this.end();
  }

  /** Ends the watch; changes that were not read are dropped. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#pending.length = 0;
    this.#stopListening();
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
    this.#onEnd(this);
  }

  next(): Promise<IteratorResult<StateChange>> {
    const first = this.#pending.shift();
    if (first !== undefined) {
      this.#length -= first.length;
      return Promise.resolve({ done: false, value: first.change });
    }
    const failure = this.#failure;
    if (failure !== undefined) {
      this.#failure = undefined;
      return Promise.reject(failure);
    }
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  return(): Promise<IteratorResult<StateChange>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
