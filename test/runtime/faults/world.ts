import type { Observer } from "../../../src/runtime/observe/observer.js";
import { textOf, type Effect } from "./effects.js";
import type { SiteObject } from "./sites.js";

/** What controllers of this process act upon. It notices when an object is worked on twice at once. */
export class World {
  readonly effects: Effect[] = [];
  /** What must not have happened. */
  readonly problems: string[] = [];
  /** How long an effect takes. */
  takes: () => number = () => 0;
  /** Who may act right now. */
  mayAct: (who: string) => boolean = () => true;
  readonly #working = new Map<string, string>();
  readonly #running = new Map<string, string>();
  readonly #listeners = new Set<() => void>();

  /** Runs the body of a reconciler, which must be the only one for its object. */
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

  /** Whole runs, from before the first write to after the last. */
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

  /** Resolves when the effects are as they should be. */
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

  /** Calls back whenever something has happened. */
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
