import type { Client } from "../../../src/client/client.js";
import { createInformers } from "../../../src/client/informer/create-informers.js";
import type { Informer } from "../../../src/client/informer/informers.js";
import { systemClock, type Clock } from "../../../src/model/core.js";
import type { Controllers } from "../../../src/runtime/start/start-controllers.js";
import { Page, Site, type PageObject, type SiteObject } from "./sites.js";

/** A clock on which waits are short, so that nobody waits long for a backoff. */
export const hurried: Clock = {
  now: () => systemClock.now(),
  after: (milliseconds, callback) => systemClock.after(milliseconds / 40, callback),
};

/** Resolves when some run has ended; when none is under way, one that finds nothing to do. */
export function nextRun(controllers: Controllers): Promise<void> {
  return new Promise((resolve) => {
    const end = controllers.runs.follow(() => {
      end();
      resolve();
    });
    controllers.enqueue(Site, "nobody", { reason: "a test waits for its turn" });
  });
}

/** How long something may take that takes a few seconds on a machine with nothing else to do. */
const longEnough = 45_000;

/** Sees what becomes of sites and pages, and lets a test wait for it. */
export class Onlooker implements AsyncDisposable {
  readonly #sites: Informer<SiteObject>;
  readonly #pages: Informer<PageObject>;
  readonly #close: () => Promise<void>;

  private constructor(sites: Informer<SiteObject>, pages: Informer<PageObject>, close: () => Promise<void>) {
    this.#sites = sites;
    this.#pages = pages;
    this.#close = close;
  }

  static async open(client: Client): Promise<Onlooker> {
    const informers = createInformers({
      transport: client.transport,
      resolve: (kind) => client.kind(kind),
      clock: hurried,
      onError: () => {},
    });
    const sites = await informers.open(Site);
    const pages = await informers.open(Page);
    await Promise.all([sites.ready(), pages.ready()]);
    return new Onlooker(sites, pages, () => informers.close());
  }

  get sites(): SiteObject[] {
    return [...this.#sites.list()];
  }

  get pages(): PageObject[] {
    return [...this.#pages.list()];
  }

  /** Waits until nothing is wrong any more. `also` tells of what happens elsewhere. */
  until(
    wrong: () => readonly string[],
    also: { follow(listener: () => void): () => void } = { follow: () => () => {} },
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (wrong().length === 0) end(resolve);
      };
      const late = (): void =>
        end(() => reject(new Error(`this did not come right:\n${wrong().slice(0, 10).join("\n")}`)));
      const timer = setTimeout(late, longEnough);
      const uses = [this.#sites.subscribe(check), this.#pages.subscribe(check)];
      const unfollow = also.follow(check);
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        unfollow();
        for (const use of uses) use.release();
        settle();
      };
      check();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
