import { durationOf, observeLease, type Lease, type ObservedLease } from "../lease/lease.js";

/**
 * Other members, judged by our own monotonic clock: a member is gone if its Lease had not changed for its duration at the time our
 * last request was **sent**. The response may have been slow, or the process slow to read it, and does not show what happened
 * meanwhile. A member whose Lease was deleted is waited for just as long, because it learns of that only with its next renewal.
 */
export class Members {
  readonly #seen = new Map<string, ObservedLease>();
  /** Owners of shards without a Lease: since when, and the duration of their last one. */
  readonly #missing = new Map<string, { readonly since: number; readonly patience: number }>();
  readonly #patience: number;
  /** Time at which the last request was sent. */
  #asked = -Infinity;

  /** `patience` is the default lease duration, in milliseconds. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** Notes the Leases of all members, with the times of request and response, and the owners that should have one. */
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
      this.#seen.set(name, observeLease(this.#seen.get(name), lease, answered));
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

  /** Whether a member can no longer be working. */
  isGone(name: string): boolean {
    const seen = this.#seen.get(name);
    if (seen !== undefined) return this.#asked - seen.since >= this.#lasts(seen.lease);
    const missing = this.#missing.get(name);
    return missing !== undefined && this.#asked - missing.since >= missing.patience;
  }

  /** Time on the monotonic clock at which the next member is gone, unless it renews its Lease. */
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

  /** Members that may be working and have a Lease. */
  alive(): string[] {
    return [...this.#seen.keys()].filter((name) => !this.isGone(name)).toSorted();
  }

  /** Leases of members that are gone, or known to have ended. */
  gone(isOver: (name: string) => boolean): Lease[] {
    return [...this.#seen].flatMap(([name, { lease }]) =>
      lease !== undefined && (isOver(name) || this.isGone(name)) ? [lease] : [],
    );
  }

  #lasts(lease: Lease | undefined): number {
    return lease === undefined ? this.#patience : durationOf(lease, this.#patience);
  }
}
