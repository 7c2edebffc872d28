import { durationOf, observe, type Lease, type Observation } from "../lease/lease.js";

/**
 * Who else is there, judged by one's own steady clock: a member is gone when its Lease had not changed for as long as it
 * lasts at the moment one last **asked**. The answer may have been long on its way, or the process slow to read it, and
 * what happened meanwhile is in no answer. One whose Lease has vanished is waited for just as long, because it learns of
 * that only when it next renews.
 */
export class Members {
  readonly #seen = new Map<string, Observation>();
  /** Since when those who have shards have had no Lease, and how long it lasted when there was one. */
  readonly #missing = new Map<string, { readonly since: number; readonly patience: number }>();
  readonly #patience: number;
  /** When one last asked. */
  #asked = -Infinity;

  /** `patience` is for those whose own is not known, in milliseconds. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** Takes note of all Leases of members, asked for and answered at these times, and of who should have had one. */
  see(
    leases: readonly Lease[],
    owners: Iterable<string | undefined>,
    { asked, answered }: { readonly asked: number; readonly answered: number },
  ): void {
    this.#asked = asked;
    const names = new Set<string>();
    for (const lease of leases) {
      const { name = "" } = lease.metadata;
      names.add(name);
      this.#missing.delete(name);
      this.#seen.set(name, observe(this.#seen.get(name), lease, answered));
    }
    const wanted = new Set(owners);
    for (const owner of wanted) {
      if (owner === undefined || names.has(owner) || this.#missing.has(owner)) continue;
      const patience = this.#lasts(this.#seen.get(owner)?.lease);
      this.#missing.set(owner, { since: answered, patience });
    }
    for (const name of this.#missing.keys()) if (!wanted.has(name)) this.#missing.delete(name);
    for (const name of this.#seen.keys()) if (!names.has(name)) this.#seen.delete(name);
  }

  /** Whether a member can be at work no longer. */
  isGone(name: string): boolean {
    const seen = this.#seen.get(name);
    if (seen !== undefined) return this.#asked - seen.since >= this.#lasts(seen.lease);
    const missing = this.#missing.get(name);
    return missing !== undefined && this.#asked - missing.since >= missing.patience;
  }

  /** When the first of those who may be at work is gone, unless it renews its Lease; by the steady clock. */
  nextGone(): number {
    let next = Infinity;
    for (const [name, { lease, since }] of this.#seen) {
      if (!this.isGone(name)) next = Math.min(next, since + this.#lasts(lease));
    }
    for (const [name, { since, patience }] of this.#missing) {
      if (!this.isGone(name)) next = Math.min(next, since + patience);
    }
    return next;
  }

  /** Those who may be at work and have a Lease. */
  alive(): string[] {
    return [...this.#seen.keys()].filter((name) => !this.isGone(name)).toSorted();
  }

  /** Leases whose holders are gone, or are known to be over. */
  gone(isOver: (name: string) => boolean): Lease[] {
    return [...this.#seen].flatMap(([name, { lease }]) =>
      lease !== undefined && (isOver(name) || this.isGone(name)) ? [lease] : [],
    );
  }

  #lasts(lease: Lease | undefined): number {
    return lease === undefined ? this.#patience : durationOf(lease, this.#patience);
  }
}
