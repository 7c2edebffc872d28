import type { Json } from "../../model/object/json.js";

/** Sum of the cached values' lengths as JSON, beyond which the least recently used are evicted. */
const maxLength = 32 * 2 ** 20;

interface CachedValue {
  readonly value: Json;
  readonly length: number;
  readonly expires: number;
}

/** Values by key; evicts those that were not read for the longest time. */
export class ValueCache {
  readonly #limit: number;
  readonly #values = new Map<string, CachedValue>();
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string, now: number): Json | undefined {
    const cached = this.#values.get(key);
    if (cached === undefined) return undefined;
    this.#values.delete(key);
    if (cached.expires <= now) {
      this.#length -= cached.length;
      return undefined;
    }
    // Last in the order of the map: most recently used.
    this.#values.set(key, cached);
    return cached.value;
  }

  set(
    key: string,
    value: Json,
    { length, expires = Infinity }: { length: number; expires?: number | undefined },
  ): void {
    this.delete(key);
    this.#values.set(key, { value, length, expires });
    this.#length += length;
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#limit && this.#length <= maxLength) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const cached = this.#values.get(key);
    if (cached === undefined) return;
    this.#values.delete(key);
    this.#length -= cached.length;
  }

  clear(): void {
    this.#values.clear();
    this.#length = 0;
  }
}
