import { lookup as lookupAll } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "fettle";

/** Addresses of a host. */
export interface Resolution {
  /** In order, without duplicates; empty if there are none. */
  readonly addresses: readonly string[];
  /** Why the addresses are missing, or are those of an earlier time. */
  readonly problem?: string | undefined;
}

interface ResolveOptions {
  /** Namespace of the backend: lookups of one namespace wait for no others. */
  readonly namespace: string;
  /** Addresses that are used if the host cannot be resolved at present. */
  readonly lastKnown?: readonly string[] | undefined;
}

export type ResolveHost = (host: string, options: ResolveOptions) => Promise<Resolution>;

export interface NameResolverOptions {
  readonly clock: Clock;
  /** Asks the operating system. Replaced in tests, to simulate faults. */
  readonly lookup?: ((name: string) => Promise<readonly string[]>) | undefined;
}

/** Milliseconds after which a name is looked up again. */
export const refreshInterval = 30_000;
/** Milliseconds for which a name that cannot be resolved keeps its addresses. */
const lastKnownLifetime = 5 * 60_000;

/** A run that is requeued after the interval must not find the result of the one before. */
const freshFor = refreshInterval - 1000;
const lookupTimeout = 5000;
const maxNames = 10_000;
/**
 * Lookups at the same time. Each occupies one of the four threads with which Node also accesses files, for as long as a name server
 * does not respond. One namespace cannot have them all: names that do not resolve must not make others wait until their addresses
 * are forgotten.
 */
const maxLookups = 3;
const maxLookupsOfNamespace = 2;

interface KnownName {
  addresses: readonly string[];
  problem: string | undefined;
  /** Time of the last lookup; undefined before the first has ended. */
  at: number | undefined;
  /** Time since which the name could not be resolved. */
  failingSince: number | undefined;
  running: Promise<void> | undefined;
}

/** Resolves names by the operating system: its hosts file, search domains and name servers. */
export class NameResolver {
  readonly #clock: Clock;
  readonly #lookup: (name: string) => Promise<readonly string[]>;
  /** Least recently used first. */
  readonly #names = new Map<string, KnownName>();
  readonly #lookups = new Lookups();

  constructor({ clock, lookup = lookupByOperatingSystem }: NameResolverOptions) {
    this.#clock = clock;
    this.#lookup = lookup;
  }

  readonly resolve: ResolveHost = async (host, { namespace, lastKnown = [] }) => {
    if (isIP(host) !== 0) return { addresses: [host] };
    // Not shared between namespaces: the lookup would wait behind the others of the namespace that began it.
    const name = this.#nameOf(`${namespace} ${host}`);
    if (!this.#isFresh(name)) await this.#refresh(host, namespace, name);
    if (name.problem === undefined) return { addresses: name.addresses };
    const problem = `the name ${host} cannot be resolved: ${name.problem}`;
    const addresses = name.addresses.length > 0 ? name.addresses : lastKnown;
    const until = (name.failingSince ?? 0) + lastKnownLifetime;
    if (addresses.length === 0 || this.#clock.now() >= until) return { addresses: [], problem };
    return {
      addresses,
      problem: `${problem}; its last known addresses are used until ${new Date(until).toISOString()}`,
    };
  };

  #nameOf(key: string): KnownName {
    const known = this.#names.get(key);
    this.#names.delete(key);
    const name: KnownName = known ?? {
      addresses: [],
      problem: undefined,
      at: undefined,
      failingSince: undefined,
      running: undefined,
    };
    this.#names.set(key, name);
    const [oldest] = this.#names.size > maxNames ? this.#names.keys() : [];
    if (oldest !== undefined) this.#names.delete(oldest);
    return name;
  }

  #isFresh({ at }: KnownName): boolean {
    return at !== undefined && this.#clock.now() - at < freshFor;
  }

  /** Waits for a lookup, but not for longer than its timeout: a result that comes later is used by the next call. */
  async #refresh(host: string, namespace: string, name: KnownName): Promise<void> {
    name.running ??= this.#lookups
      .run(namespace, () => this.#run(host, name))
      .finally(() => (name.running = undefined));
    let cancel = (): void => {};
    const expired = new Promise<true>((resolve) => {
      const timer = this.#clock.after(lookupTimeout, () => resolve(true));
      cancel = () => timer.cancel();
    });
    try {
      if (await Promise.race([name.running, expired]))
        this.#fail(name, `no response within ${lookupTimeout / 1000}s`);
    } finally {
      cancel();
    }
  }

  async #run(host: string, name: KnownName): Promise<void> {
    try {
      const addresses = [...new Set(await this.#lookup(host))].toSorted();
      if (addresses.length === 0) return this.#fail(name, "it has no addresses");
      Object.assign(name, { addresses, problem: undefined, failingSince: undefined, at: this.#clock.now() });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#fail(name, code ?? message);
    }
  }

  /** Keeps the addresses, which are used for a while. */
  #fail(name: KnownName, problem: string): void {
    const now = this.#clock.now();
    name.problem = problem;
    name.at = now;
    name.failingSince ??= now;
  }
}

/** Limits of concurrent lookups, in total and for each namespace. Namespaces take turns. */
class Lookups {
  readonly #active = new Map<string, number>();
  /** Waiting lookups by namespace; the namespace that is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #total = 0;

  async run(namespace: string, lookup: () => Promise<void>): Promise<void> {
    if (this.#hasPlace(namespace)) this.#count(namespace, 1);
    else
      await new Promise<void>((resolve) => {
        const waiting = this.#waiting.get(namespace);
        if (waiting === undefined) this.#waiting.set(namespace, [resolve]);
        else waiting.push(resolve);
      });
    try {
      await lookup();
    } finally {
      this.#count(namespace, -1);
      this.#startNext();
    }
  }

  #hasPlace(namespace: string): boolean {
    return this.#total < maxLookups && (this.#active.get(namespace) ?? 0) < maxLookupsOfNamespace;
  }

  #count(namespace: string, change: 1 | -1): void {
    this.#total += change;
    const active = (this.#active.get(namespace) ?? 0) + change;
    if (active === 0) this.#active.delete(namespace);
    else this.#active.set(namespace, active);
  }

  #startNext(): void {
    for (const [namespace, [start, ...others]] of this.#waiting) {
      if (!this.#hasPlace(namespace)) continue;
      this.#waiting.delete(namespace);
      if (others.length > 0) this.#waiting.set(namespace, others);
      this.#count(namespace, 1);
      start?.();
      return;
    }
  }
}

async function lookupByOperatingSystem(name: string): Promise<readonly string[]> {
  const found = await lookupAll(name, { all: true });
  return found.map(({ address }) => address);
}
