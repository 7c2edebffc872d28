import type { KubeObject } from "../../model/core.js";
import type { ObjectChange, Subscription } from "./source.js";

type Listener<T extends KubeObject> = (change: ObjectChange<T>) => void;

interface Entry<T extends KubeObject> {
  readonly listener: Listener<T>;
  active: boolean;
}

/** Those who are told of changes. One that throws is reported, and neither it nor the others miss anything for it. */
export class Listeners<T extends KubeObject> {
  // Replaced, never changed, so that who joins or leaves while a change is told does not disturb the telling.
  #entries: readonly Entry<T>[] = [];
  readonly #report: (error: unknown, change: ObjectChange<T>) => void;

  constructor(report: (error: unknown, change: ObjectChange<T>) => void) {
    this.#report = report;
  }

  /** Tells of what is there first; the snapshot and the joining are one step. */
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

  tell(change: ObjectChange<T>): void {
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
