import type { Client } from "../../../src/client/client.js";
import { ConnectionError } from "../../../src/client/transport/transport.js";
import { asApiError, isAlreadyExists, isNotFound } from "../../../src/model/core.js";
import type { Dice } from "./seed.js";
import { Page, Site, type SiteObject } from "./sites.js";

const stamp = "demo.dev/stamp";

/**
 * Client that creates, changes and deletes sites, and sometimes damages a page. It records acknowledged writes; a write
 * without a response is repeated until there is one.
 */
export class Workload {
  /** Sites that must exist at the end. */
  readonly expected = new Map<string, SiteObject["spec"]>();
  /** Uids of deleted sites. */
  readonly deleted = new Set<string>();
  readonly #client: Client;
  readonly #dice: Dice;
  readonly #up: () => Promise<void>;
  /** Names of the sites that turns have created. */
  readonly #names: string[] = [];
  readonly #uids = new Map<string, string>();
  #turns = 0;

  /** `up` resolves when it makes sense to repeat a request. */
  constructor(client: Client, dice: Dice, up: () => Promise<void> = async () => {}) {
    this.#client = client;
    this.#dice = dice;
    this.#up = up;
  }

  /** Makes one random write; resolves when it is acknowledged. */
  async turn(): Promise<void> {
    this.#turns++;
    const { below, pick, chance } = this.#dice;
    const there = [...this.expected.keys()].filter((name) => this.#names.includes(name));
    const lot = below(10);
    if (there.length < 4 || (lot < 3 && there.length < 12)) {
      // A name may be reused as soon as it is free.
      const again = this.#names.length > 0 && chance(0.3);
      const name = again ? pick(this.#names) : `site-${this.#names.length}`;
      if (!again) this.#names.push(name);
      await this.create(name);
    } else if (lot < 6) await this.change(pick(there));
    else if (lot < 8) await this.delete(pick(there));
    else await this.spoil(pick(there));
  }

  /** Creates a site, or changes it if it exists. Later turns do not touch it. */
  async create(name: string, spec = this.#spec()): Promise<void> {
    if (this.expected.has(name)) return this.change(name, spec);
    const mark = String(this.#turns);
    const site = await this.#insist(async () => {
      try {
        const metadata = { name, annotations: { [stamp]: mark } };
        return await this.#client.create(Site, { metadata, spec });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        // Our own create without a response, or the previous object that is still being deleted.
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

  /** Changes or deletes a page as another manager. */
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
