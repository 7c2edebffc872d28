import type { Client } from "../../../src/client/client.js";
import { ConnectionError } from "../../../src/client/transport/transport.js";
import { asApiError, isAlreadyExists, isNotFound } from "../../../src/model/core.js";
import type { Dice } from "./seed.js";
import { Page, Site, type SiteObject } from "./sites.js";

const stamp = "demo.dev/stamp";

/**
 * Somebody who creates, changes and deletes sites, and now and then spoils a page. It knows what it has been promised: an
 * unanswered write is made again until it is answered.
 */
export class Workload {
  /** The sites that are to be there in the end. */
  readonly expected = new Map<string, SiteObject["spec"]>();
  /** The uids of those that are not. */
  readonly deleted = new Set<string>();
  readonly #client: Client;
  readonly #dice: Dice;
  readonly #up: () => Promise<void>;
  /** Of the sites that turns have made. */
  readonly #names: string[] = [];
  readonly #uids = new Map<string, string>();
  #turns = 0;

  /** `up` resolves when it makes sense to ask again. */
  constructor(client: Client, dice: Dice, up: () => Promise<void> = async () => {}) {
    this.#client = client;
    this.#dice = dice;
    this.#up = up;
  }

  /** Does one thing, and resolves when it is acknowledged. */
  async turn(): Promise<void> {
    this.#turns++;
    const { below, pick, chance } = this.#dice;
    const there = [...this.expected.keys()].filter((name) => this.#names.includes(name));
    const lot = below(10);
    if (there.length < 4 || (lot < 3 && there.length < 12)) {
      // A name may be used anew as soon as it is free.
      const again = this.#names.length > 0 && chance(0.3);
      const name = again ? pick(this.#names) : `site-${this.#names.length}`;
      if (!again) this.#names.push(name);
      await this.create(name);
    } else if (lot < 6) await this.change(pick(there));
    else if (lot < 8) await this.delete(pick(there));
    else await this.spoil(pick(there));
  }

  /** Creates a site, or changes it if it is there. What is made on demand is not touched by later turns. */
  async create(name: string, spec = this.#spec()): Promise<void> {
    if (this.expected.has(name)) return this.change(name, spec);
    const mark = String(this.#turns);
    const site = await this.#insist(async () => {
      try {
        const metadata = { name, annotations: { [stamp]: mark } };
        return await this.#client.create(Site, { metadata, spec });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        // Ours, of which we were not told; or the one before, which is still on its way out.
        const found = await this.#client.find(Site, name);
        return found?.metadata.annotations?.[stamp] === mark ? found : undefined;
      }
    });
    if (site === undefined) return;
    this.expected.set(name, spec);
    this.#uids.set(name, site.metadata.uid ?? "");
  }

  async change(name: string, spec = this.#spec()): Promise<void> {
    await this.#insist(() => this.#client.patch(Site, name, { spec }));
    this.expected.set(name, spec);
  }

  async delete(name: string): Promise<void> {
    await this.#insist(() => this.#client.delete(Site, name));
    this.expected.delete(name);
    this.deleted.add(this.#uids.get(name) ?? "");
  }

  /** Changes or deletes a page behind the controller's back. */
  async spoil(name: string): Promise<void> {
    const page = `${name}-1`;
    await this.#insist(async () => {
      if (this.#dice.chance(0.5)) await this.#client.delete(Page, page);
      else await this.#client.patch(Page, page, { spec: { html: `spoilt ${this.#turns}` } });
    }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  #spec(): SiteObject["spec"] {
    return { title: `title ${this.#turns}`, pages: this.#dice.below(4) };
  }

  async #insist<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        const code = asApiError(error)?.code ?? 0;
        if (!(error instanceof ConnectionError) && code < 500) throw error;
      }
      await this.#up();
    }
  }
}
