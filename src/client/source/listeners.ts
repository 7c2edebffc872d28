import type { KubeObject } from "../../model/core.js";
import type { ObjectChange, Subscription } from "./source.js";

type Listener<T extends KubeObject> = (change: ObjectChange<T>) => void;

interface Entry<T extends KubeObject> {
  readonly listener: Listener<T>;
  active: boolean;
}

/** Listeners of changes. An error of one is reported, and affects neither its further calls nor the others. */
export class Listeners<T extends KubeObject> {
  // Replaced, never mutated, so that listeners can be added and removed during a call.
  #entries: readonly Entry<T>[] = [];
  readonly #report: (error: unknown, change: ObjectChange<T>) => void;

  constructor(report: (error: unknown, change: ObjectChange<T>) => void) {
    this.#report = report;
  }

  /** Adds a listener and calls it for the present objects, without a gap in between. */
  add(listener: Listener<T>, present: readonly T[]): Subscription {
    const entry: Entry<T> = { listener, active: true };
    this.#entries = [...this.#entries, entry];
    const release = (): void => {
      if (!entry.active) return;
      entry.active = false;
      this.#entries = this.#entries.filter((other) => other !== entry);
    };
    for (const object of present) this.#call(entry, { type: "CREATED", object, initial: true });
    return { release, [Symbol.dispose]: release };
  }

  notify(change: ObjectChange<T>): void {
    for (const entry of this.#entries) this.#call(entry, change);
  }

  #call(entry: Entry<T>, change: ObjectChange<T>): void {
    if (!entry.active) return;
    try {
      entry.listener(change);
    } catch (error) {
      this.#report(error, change);
    }
  }
}
