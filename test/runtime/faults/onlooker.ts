import type { Client } from "../../../src/client/client.js";
import { createInformers } from "../../../src/client/informer/create-informers.js";
import type { Informer } from "../../../src/client/informer/informers.js";
import { systemClock, type Clock } from "../../../src/model/core.js";
import type { Controllers } from "../../../src/runtime/start/start-controllers.js";
import { Page, Site, type PageObject, type SiteObject } from "./sites.js";

/** Clock with short waits, so that tests do not wait for backoff. */
export const hurried: Clock = {
  now: () => systemClock.now(),
  after: (milliseconds, callback) => systemClock.after(milliseconds / 40, callback),
};

/** Resolves when some run has ended; triggers one when none is active. */
export function nextRun(controllers: Controllers): Promise<void> {
  return new Promise((resolve) => {
    const end = controllers.runs.follow(() => {
      end();
      resolve();
    });
    controllers.enqueue(Site, "nobody", { reason: "a test waits for its turn" });
  });
}

/** Timeout in milliseconds for something that takes a few seconds on an idle machine. */
const longEnough = 45_000;

/** Follows sites and pages, and lets a test wait for their state. */
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

  /** Waits until there are no differences; `also` returns further differences. */
  until(
    wrong: () => readonly string[],
    also: { follow(listener: () => void): () => void } = { follow: () => () => {} },
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (wrong().length === 0) end(resolve);
      };
      const onTimeout = (): void =>
        end(() => reject(new Error(`these differences remain:\n${wrong().slice(0, 10).join("\n")}`)));
      const timer = setTimeout(onTimeout, longEnough);
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
