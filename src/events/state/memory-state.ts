import { systemClock, type Clock, type Timer } from "../../model/core.js";
import type { Glob } from "../../model/glob/glob.js";
import type { StateBackend, StateListener, StateRecord } from "./state-backend.js";

interface MemoryRecord extends StateRecord {
  readonly timer: Timer | undefined;
}

/** State in the memory of this process: lost when it ends, and not seen by others. */
export function memoryState({
  clock = systemClock,
}: { readonly clock?: Clock | undefined } = {}): StateBackend {
  return new MemoryState(clock);
}

class MemoryState implements StateBackend {
  readonly name = "memory";
  readonly #clock: Clock;
  readonly #records = new Map<string, MemoryRecord>();
  #listener: StateListener | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(key: string): Promise<StateRecord | undefined> {
    return this.#current(key);
  }

  async set(key: string, json: string, ttl: number | undefined): Promise<void> {
    this.#records.get(key)?.timer?.cancel();
    if (ttl === undefined) this.#records.set(key, { json, timer: undefined });
    else {
      const timer = this.#clock.after(ttl, () => this.#remove(key));
      this.#records.set(key, { json, expires: this.#clock.now() + ttl, timer });
    }
    this.#listener?.changed(key, json);
  }

  async delete(key: string): Promise<void> {
    this.#remove(key);
  }

  async keys(glob: Glob, limit: number): Promise<readonly string[]> {
    const found = Array.from(this.#records.keys()).filter(
      (key) => glob.matches(key) && this.#current(key) !== undefined,
    );
    return found.toSorted().slice(0, limit);
  }

  subscribe(listener: StateListener): () => void {
    this.#listener = listener;
    listener.resumed();
    return () => {
      this.#listener = undefined;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { timer } of this.#records.values()) timer?.cancel();
    this.#records.clear();
  }

  /** The record of a key, unless it has expired and its timer is late. */
  #current(key: string): StateRecord | undefined {
    const record = this.#records.get(key);
    return record?.expires !== undefined && record.expires <= this.#clock.now() ? undefined : record;
  }

  #remove(key: string): void {
    const record = this.#records.get(key);
    if (record === undefined) return;
    record.timer?.cancel();
    this.#records.delete(key);
    this.#listener?.changed(key, undefined);
  }
}
