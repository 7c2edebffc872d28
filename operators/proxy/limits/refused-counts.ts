/** Refused requests of a policy that its status may not have yet. */
export interface UnwrittenCount {
  readonly refused: number;
  /** Time of the last one, in milliseconds since 1970. */
  readonly last: number;
}

interface PolicyCounts {
  /** Requests since `unwritten` was taken. */
  added: UnwrittenCount | undefined;
  /** Count that is being written. It stays the same until it is confirmed, so that a repeated write is recognized. */
  unwritten: UnwrittenCount | undefined;
  /** Greatest `last` that was returned. */
  latest: number;
}

/**
 * Refused requests by policy (uid), until they are part of the status of the policy.
 *
 * Invariant: `last` of a count is greater than that of all counts before it. So `status.lastRefused` tells whether a count was written,
 * even if the response to the write was lost.
 */
export class RefusedCounts {
  readonly #policies = new Map<string, PolicyCounts>();

  add(uid: string, refused: number, last: number): void {
    const counts = this.#policies.get(uid) ?? { added: undefined, unwritten: undefined, latest: 0 };
    this.#policies.set(uid, counts);
    const { added } = counts;
    counts.added = {
      refused: (added?.refused ?? 0) + refused,
      last: Math.max(added?.last ?? 0, last),
    };
  }

  /** Count to write next; the same one until {@link confirm} is called. */
  unwritten(uid: string): UnwrittenCount | undefined {
    const counts = this.#policies.get(uid);
    if (counts === undefined) return undefined;
    if (counts.unwritten === undefined && counts.added !== undefined) {
      const last = Math.max(counts.added.last, counts.latest + 1);
      counts.unwritten = { refused: counts.added.refused, last };
      counts.latest = last;
      counts.added = undefined;
    }
    return counts.unwritten;
  }

  /** Removes a count that was written. Requests that were added meanwhile stay. */
  confirm(uid: string): void {
    const counts = this.#policies.get(uid);
    if (counts !== undefined) counts.unwritten = undefined;
  }
}
