import type { Clock, Timer } from "fettle/model";
import type { Attempt, DriverChange } from "../driver.js";
import { exitText } from "../exit-text.js";
import type { AttemptReader } from "./attempt-reader.js";

/** Milliseconds between two looks at all running attempts, and at those without a shim. Others announce their changes. */
const pollInterval = { all: 30_000, orphaned: 1000 };

export interface ChangesOptions {
  readonly reader: AttemptReader;
  readonly clock: Clock;
  readonly changed: (uid: string, attempt: number) => void;
  /** Reports whether a start or stop of the attempt is under way. */
  readonly isActedOn: (uid: string, attempt: number) => boolean;
  readonly ended: (uid: string, attempt: number) => void;
}

/** Attempts that have not exited, and those who want to know of their changes. */
export class Changes {
  readonly #options: ChangesOptions;
  readonly #listeners = new Set<(change: DriverChange) => void>();
  /** Attempts with what was last announced about them. */
  readonly #active = new Map<string, { readonly uid: string; readonly attempt: number; announced: string }>();
  #timer: Timer | undefined;

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  subscribe(listener: (change: DriverChange) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  track(uid: string, attempt: number): void {
    const key = `${uid}/${attempt}`;
    if (!this.#active.has(key)) this.#active.set(key, { uid, attempt, announced: "" });
  }

  forget(uid: string, attempt: number): void {
    this.#active.delete(`${uid}/${attempt}`);
  }

  announce(uid: string, attempt: number): void {
    const { reader, changed, ended, isActedOn } = this.#options;
    changed(uid, attempt);
    const found = reader.read(uid, attempt, { usage: false });
    if (!found) return;
    const text = changeText(found);
    if (found.state === "exited") {
      this.forget(uid, attempt);
      ended(uid, attempt);
    } else {
      this.track(uid, attempt);
      const active = this.#active.get(`${uid}/${attempt}`);
      if (active) active.announced = text;
      if (found.state === "orphaned") this.poll();
    }
    const { namespace, name } = found.record;
    const awaited = found.state === "running" && isActedOn(uid, attempt);
    for (const listener of this.#listeners) listener({ uid, namespace, name, attempt, text, awaited });
  }

  /** Looks for changes that nobody announced, from now on: a shim was killed, or the event was lost. */
  poll(): void {
    const { reader, clock } = this.#options;
    const states = [...this.#active.values()].map(({ uid, attempt }) => reader.state(uid, attempt));
    const interval = states.includes("orphaned") ? pollInterval.orphaned : pollInterval.all;
    this.#timer?.cancel();
    this.#timer = clock.after(interval, () => {
      for (const { uid, attempt, announced } of this.#active.values()) {
        const found = reader.read(uid, attempt, { usage: false });
        if (!found) this.forget(uid, attempt);
        else if (changeText(found) !== announced) this.announce(uid, attempt);
      }
      this.poll();
    });
  }

  close(): void {
    this.#timer?.cancel();
    this.#listeners.clear();
  }
}

/** Sentence for people about the present state of an attempt that changed. */
function changeText({ exit, process, state, stopReason, notified }: Attempt): string {
  const who = process === undefined ? "the process" : `pid ${process.pid}`;
  if (exit) return `${who} ${exitText(exit)}`;
  if (state === "orphaned") return `the shim of ${who} is gone`;
  if (stopReason !== undefined) return `${who} is stopping`;
  if (notified) return `${who} is ready by its notify descriptor`;
  return state === "starting" ? `${who} is starting` : `${who} started`;
}
