import { Lease as LeaseKind } from "../../client/kinds/kubernetes.js";
import { isAlreadyExists, isConflict, isNotFound, sleep } from "../../model/core.js";
import {
  decide,
  holderOf,
  observeLease,
  released,
  type Action,
  type Candidate,
  type Lease,
  type LeaseClient,
} from "../lease/lease.js";
import { LeaseHolder, type LeaseOptions } from "../lease/lease-holder.js";
import type { Moment } from "../lease/moment.js";
import { NotLeaderError, Term } from "../lease/term.js";
import {
  workThrough,
  type OwnedWork,
  type OwnershipOptions,
  type WorkOwnership,
} from "../lease/work-ownership.js";

export interface LeaderElectionOptions extends LeaseOptions {
  readonly client: LeaseClient;
}

/** Attempts at a write that conflicts with that of another process. */
const maxAttempts = 3;

/**
 * Elects one leader among all processes that use the same Lease.
 *
 * @example
 * const election = leaderElection({ client, namespace: "default", name: "sites" });
 * await election.run(async (signal) => {
 *   while (!signal.aborted) {
 *     election.guard(); // before each effect that only the leader may have
 *     await publishNext(signal);
 *   }
 * }, { signal });
 */
export function leaderElection(options: LeaderElectionOptions): LeaderElection {
  return new LeaderElection(options);
}

/**
 * States of a candidate: it **campaigns** (reads the Lease periodically until it can acquire it), **leads** (the work runs and the
 * Lease is renewed), **winds down** (the work's signal has aborted; while the term holds, the Lease is still renewed, so that no other
 * process starts before the work has ended), and then either campaigns again, if the Lease was lost, or **releases** it. Work never
 * overlaps: campaigning begins after the last work has ended.
 */
export class LeaderElection implements WorkOwnership {
  readonly #holder: LeaseHolder;
  readonly #client: LeaseClient;
  readonly #target: { readonly namespace: string; readonly name: string };
  readonly #me: Candidate;
  #observed = observeLease(undefined, undefined, 0);
  /** A write was sent whose response has not been seen: the lease may be ours without our knowing. */
  #uncertain = false;
  #term: Term | undefined;
  #running = false;

  constructor(options: LeaderElectionOptions) {
    const { client, namespace, name } = options;
    this.#holder = new LeaseHolder(options);
    const { identity, leaseDuration } = this.#holder;
    this.#me = { identity, leaseDuration };
    this.#client = client;
    this.#target = { namespace, name };
  }

  get identity(): string {
    return this.#me.identity;
  }

  /** Whether this process is the leader right now, judged by the clock. */
  get isLeader(): boolean {
    return this.#term?.holds ?? false;
  }

  /** Holder of the Lease when it was last read; undefined if there was none. */
  get leader(): string | undefined {
    return holderOf(this.#observed.lease);
  }

  /**
   * Throws unless this process is the leader right now. Call it before every write: a process that was suspended is refused at
   * once, and the work's signal has aborted by the time this throws.
   */
  guard(): void {
    if (this.isLeader) return;
    const who = this.leader === undefined || this.leader === this.identity ? "" : `; ${this.leader} has it`;
    throw new NotLeaderError(
      `${this.identity} does not hold the lease ${this.#holder.path}${who}: stop, and wait for the next term`,
    );
  }

  get isActive(): boolean {
    return this.isLeader;
  }

  /** The leader owns everything. */
  owns(): boolean {
    return this.isLeader;
  }

  workEnded(): void {}

  work(work: OwnedWork, options: OwnershipOptions): Promise<void> {
    return this.run((term) => workThrough(work, term, options), options);
  }

  health(): string {
    if (this.isLeader) return "leading";
    // The Lease may still carry the name of this process, after it has lost or released it.
    const { leader } = this;
    return leader === undefined || leader === this.identity ? "nobody is known to lead" : `${leader} leads`;
  }

  /**
   * Calls `lead` whenever this process becomes the leader, until the signal aborts or `lead` returns by itself; then releases the
   * Lease. The signal of `lead` aborts when the process stops or the Lease was not renewed in time; `lead` is called again after it
   * has ended and the Lease was acquired again. Errors that `lead` throws while it leads are thrown from here.
   */
  async run(
    lead: (signal: AbortSignal) => unknown,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    if (this.#running) throw new Error("this election is running already: one run at a time");
    this.#running = true;
    try {
      for (;;) {
        const renewed = await this.#campaign(signal);
        if (renewed === undefined || (await this.#serve(renewed, lead, signal)) === "done") return;
      }
    } finally {
      await this.#release();
      this.#running = false;
    }
  }

  /** Campaigns until the Lease is acquired: the time at which that request was sent. Undefined if the signal aborts. */
  async #campaign(signal: AbortSignal | undefined): Promise<Moment | undefined> {
    while (!(signal?.aborted ?? false)) {
      try {
        const taken = await this.#holder.request(this.#holder.renewDeadline, signal, (signal) =>
          this.#attempt(["create", "acquire", "renew"], signal),
        );
        if (taken !== undefined) return taken;
      } catch (error) {
        if (!signal?.aborted) this.#holder.onError(error);
      }
      await sleep(this.#holder.clock, this.#untilNextRead(), signal).catch(() => {});
    }
    return undefined;
  }

  /** Milliseconds until the next read: at the latest when the Lease expires. */
  #untilNextRead(): number {
    const usual = this.#holder.jittered(this.#holder.retryPeriod / 2);
    const now = this.#holder.now();
    const action = decide(this.#observed, now, this.#me);
    return action.type === "wait" ? Math.min(usual, action.until - now.steady) : usual;
  }

  async #serve(
    renewed: Moment,
    lead: (signal: AbortSignal) => unknown,
    signal: AbortSignal | undefined,
  ): Promise<"done" | "lost"> {
    const term = new Term(this.#holder, renewed, "the leader");
    const stop = (): void => term.stop(signal?.reason);
    const ended = new AbortController();
    signal?.addEventListener("abort", stop, { once: true });
    let renewing: Promise<void> | undefined;
    try {
      if (signal?.aborted) return "done";
      // The response may have been slow, or the process suspended.
      if (!term.holds) return "lost";
      this.#term = term;
      renewing = this.#holder.keepRenewing(
        term,
        ended.signal,
        (signal) => this.#attempt(["renew"], signal),
        () => `its lease ${this.leader === undefined ? "is gone" : `is held by ${this.leader}`}`,
      );
      await lead(term.signal);
      return term.signal.aborted && !signal?.aborted ? "lost" : "done";
    } catch (error) {
      if (!term.signal.aborted) throw error;
      const expected = error === term.signal.reason || error instanceof NotLeaderError;
      if (!expected) this.#holder.onError(error);
      return signal?.aborted ? "done" : "lost";
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#term = undefined;
      term.end();
      ended.abort();
      await renewing;
    }
  }

  /** Releases the Lease if we hold it, so that nobody waits for it to expire. */
  async #release(): Promise<void> {
    try {
      await this.#holder.request(this.#holder.renewDeadline / 2, undefined, async (signal) => {
        if (this.#uncertain) await this.#read(signal);
        for (let left = maxAttempts; left > 0; left--) {
          const lease = released(this.#observed, this.#holder.now(), this.#me);
          if (lease === undefined) return;
          if (await this.#write(() => this.#client.update(lease, { signal }), signal)) return;
        }
      });
    } catch (error) {
      this.#holder.onError(error);
    }
  }

  /**
   * Reads the Lease and performs one of the allowed actions. Returns the time at which the request was sent that made us the holder;
   * undefined if we are not.
   */
  async #attempt(allowed: readonly Action["type"][], signal: AbortSignal): Promise<Moment | undefined> {
    // The holder knows what it wrote last; if that is outdated, the write fails and it reads again.
    if (this.leader !== this.identity) await this.#read(signal);
    for (let left = maxAttempts; left > 0; left--) {
      const sent = this.#holder.now();
      const action = decide(this.#observed, sent, this.#me);
      if (action.type === "wait" || !allowed.includes(action.type)) return undefined;
      const write = (): Promise<Lease> =>
        action.type === "create"
          ? this.#client.create(LeaseKind, { metadata: this.#target, spec: action.spec }, { signal })
          : this.#client.update(action.lease, { signal });
      if (await this.#write(write, signal)) return sent;
    }
    return undefined;
  }

  /** Sends a write; false, after another read, if the Lease had changed. */
  async #write(write: () => Promise<Lease>, signal: AbortSignal): Promise<boolean> {
    this.#uncertain = true;
    try {
      this.#observe(await write(), signal);
      return true;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      await this.#read(signal);
      return false;
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    this.#observe(await this.#client.find(LeaseKind, this.#target, { signal }), signal);
  }

  /** Ignores responses that arrive after their timeout. */
  #observe(lease: Lease | undefined, signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#observed = observeLease(this.#observed, lease, this.#holder.steady());
    this.#uncertain = false;
  }
}
