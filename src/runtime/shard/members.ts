import { durationOf, observeLease, type Lease, type ObservedLease } from "../lease/lease.js";

/**
 * Other members, judged by our own monotonic clock: a member is gone if its Lease had not changed for its duration at the time our
 * last request was **sent**. The response may have been slow, or the process slow to read it, and does not show what happened
 * meanwhile. A member whose Lease was deleted is waited for just as long, because it learns of that only with its next renewal.
 */
export class Members {
  readonly #observed = new Map<string, ObservedLease>();
  /** Owners of shards without a Lease: since when, and the duration of their last one. */
  readonly #missing = new Map<string, { readonly since: number; readonly patience: number }>();
  readonly #patience: number;
  /** Time at which the last request was sent. */
  #sentAt = -Infinity;

  /** `patience` is the default lease duration, in milliseconds. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** Notes the Leases of all members, with the times of request and response, and the owners that should have one. */
  update(
    leases: readonly Lease[],
    owners: Iterable<string | undefined>,
    { sentAt, receivedAt }: { readonly sentAt: number; readonly receivedAt: number },
  ): void {
    this.#sentAt = sentAt;
    const names = new Set<string>();
    for (const lease of leases) {
      const { name = "" } = lease.metadata;
      names.add(name);
      this.#missing.delete(name);
      this.#observed.set(name, observeLease(this.#observed.get(name), lease, receivedAt));
    }
    const wanted = new Set(owners);
    for (const owner of wanted) {
      if (owner === undefined || names.has(owner) || this.#missing.has(owner)) continue;
      const patience = this.#durationOf(this.#observed.get(owner)?.lease);
      this.#missing.set(owner, { since: receivedAt, patience });
    }
    for (const name of this.#missing.keys()) if (!wanted.has(name)) this.#missing.delete(name);
    for (const name of this.#observed.keys()) if (!names.has(name)) this.#observed.delete(name);
  }

  /** Whether a member can no longer be working. */
  isGone(name: string): boolean {
    const seen = this.#observed.get(name);
    if (seen !== undefined) return this.#sentAt - seen.since >= this.#durationOf(seen.lease);
    const missing = this.#missing.get(name);
    return missing !== undefined && this.#sentAt - missing.since >= missing.patience;
  }

  /** Time on the monotonic clock at which the next member is gone, unless it renews its Lease. */
  nextGone(): number {
    let next = Infinity;
    for (const [name, { lease, since }] of this.#observed) {
      if (!this.isGone(name)) next = Math.min(next, since + this.#durationOf(lease));
    }
    for (const [name, { since, patience }] of this.#missing) {
      if (!this.isGone(name)) next = Math.min(next, since + patience);
    }
    return next;
  }

  /** Members that may be working and have a Lease. */
  alive(): string[] {
    return [...this.#observed.keys()].filter((name) => !this.isGone(name)).toSorted();
  }

  /** Leases of members that are gone, or known to have ended. */
  gone(isOver: (name: string) => boolean): Lease[] {
    return [...this.#observed].flatMap(([name, { lease }]) =>
      lease !== undefined && (isOver(name) || this.isGone(name)) ? [lease] : [],
    );
  }

  #durationOf(lease: Lease | undefined): number {
    return lease === undefined ? this.#patience : durationOf(lease, this.#patience);
  }
}
