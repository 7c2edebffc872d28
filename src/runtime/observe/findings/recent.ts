import { formatDuration } from "../../../model/core.js";

/** Values by key, of which only those used last are kept. */
export class Recent<Value> {
  readonly #most: number;
  readonly #all = new Map<string, Value>();
  /** Gives the key used longest ago. What it has given is forgotten at once, or is in use again and behind all others. */
  readonly #oldest = this.#all.keys();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    return this.#all.get(key);
  }

  /** The value of a key, made if there is none; it is the last one to go from now on. */
  use(key: string, make: () => Value): Value {
    const known = this.#all.get(key);
    if (known !== undefined) this.#all.delete(key);
    const value = known ?? make();
    this.#all.set(key, value);
    if (this.#all.size > this.#most) this.#all.delete(this.#oldest.next().value ?? "");
    return value;
  }

  delete(key: string): void {
    this.#all.delete(key);
  }

  get size(): number {
    return this.#all.size;
  }
}

/** Leaves out the times that are longer ago than `span`; the times are in order. */
export function dropOld(times: number[], now: number, span: number): void {
  let old = 0;
  while (old < times.length && now - (times[old] ?? now) > span) old++;
  if (old > 0) times.splice(0, old);
}

/** How long something has lasted, as precisely as matters to people. */
export function elapsed(since: number, now: number): string {
  const took = Math.max(1, now - since);
  return formatDuration(took < 10_000 ? Math.round(took) : Math.round(took / 1000) * 1000);
}
