import type { Observer } from "../../../src/runtime/observe/observer.js";
import { textOf, type Effect } from "./effects.js";
import type { SiteObject } from "./sites.js";

/** Outside world of the controllers in this process. It detects when two runs work on one object at once. */
export class World {
  readonly effects: Effect[] = [];
  /** Detected violations. */
  readonly problems: string[] = [];
  /** Duration of an effect in milliseconds. */
  takes: () => number = () => 0;
  /** True if this process may act now. */
  mayAct: (who: string) => boolean = () => true;
  readonly #working = new Map<string, string>();
  readonly #running = new Map<string, string>();
  readonly #listeners = new Set<() => void>();

  /** Runs a reconciler, and records a violation if its object has another active run. */
  async alone<T>({ metadata: { name = "" } }: SiteObject, who: string, work: () => Promise<T>): Promise<T> {
    const other = this.#working.get(name);
    if (other !== undefined) this.problems.push(`${who} worked on ${name} while ${other} did`);
    this.#working.set(name, who);
    try {
      return await work();
    } finally {
      this.#working.delete(name);
    }
  }

  /** Observer that records the start and end of runs, including their writes. */
  observer(who: string): Observer {
    return {
      started: ({ key }) => {
        const other = this.#running.get(key);
        if (other !== undefined) this.problems.push(`${who} began a run of ${key} while ${other} had one`);
        this.#running.set(key, who);
      },
      ended: ({ key }) => {
        this.#running.delete(key);
        this.#tell();
      },
    };
  }

  async effect(what: Effect["what"], site: SiteObject, who: string, signal: AbortSignal): Promise<void> {
    const { name = "", uid = "" } = site.metadata;
    const note = (phase: Effect["phase"]): void => {
      const at = performance.now();
      this.effects.push({ at, who, what, phase, name, uid, text: textOf(site) });
      this.#tell();
    };
    if (!this.mayAct(who)) this.problems.push(`${who} began to ${what} ${name}, and may not`);
    note("start");
    try {
      await took(this.takes(), signal);
    } catch (error) {
      note("cut");
      throw error;
    }
    note("end");
  }

  /** Resolves when the effects satisfy a condition. */
  until(enough: (effects: readonly Effect[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!enough(this.effects)) return;
        end();
        resolve();
      };
      const end = this.follow(check);
      check();
    });
  }

  /** Calls back after every effect. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function took(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer =
      milliseconds === Infinity
        ? undefined
        : setTimeout(() => {
            signal.removeEventListener("abort", cut);
            resolve();
          }, milliseconds);
    if (signal.aborted) cut();
    else signal.addEventListener("abort", cut, { once: true });
  });
}
