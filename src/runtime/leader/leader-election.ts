import { Lease as LeaseKind } from "../../client/kinds/kubernetes.js";
import { isAlreadyExists, isConflict, isNotFound, sleep } from "../../model/core.js";
import {
  decide,
  holderOf,
  observe,
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
 * Takes part in the election of one leader among all processes that name the same Lease.
 *
 * @example
 * const election = leaderElection({ client, namespace: "default", name: "sites" });
 * await election.run(async (signal) => {
 *   while (!signal.aborted) {
 *     election.guard(); // before everything that only the leader may do
 *     await publishNext(signal);
 *   }
 * }, { signal });
 */
export function leaderElection(options: LeaderElectionOptions): LeaderElection {
  return new LeaderElection(options);
}

/**
 * Where a candidate stands: it **campaigns** (looks at the lease now and then until it can take it), **leads** (the work
 * runs and the lease is renewed), **winds down** (the work's signal has aborted; while the term holds the lease is still
 * renewed, so that nobody begins before the work has ended), and then either campaigns again, when the lease was lost, or
 * **releases** the lease and is done. There is one piece of work at a time: campaigning begins after the last has ended.
 */
export class LeaderElection implements WorkOwnership {
  readonly #holder: LeaseHolder;
  readonly #client: LeaseClient;
  readonly #target: { readonly namespace: string; readonly name: string };
  readonly #me: Candidate;
  #observed = observe(undefined, undefined, 0);
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

  /** Whether this process may act as the leader right now, judged by the clock and not by what has been noticed so far. */
  get isLeader(): boolean {
    return this.#term?.holds ?? false;
  }

  /** Who held the lease when it was last looked at; undefined when nobody did. */
  get leader(): string | undefined {
    return holderOf(this.#observed.lease);
  }

  /**
   * Throws unless this process may act as the leader right now. Call it before every run and every write: after a process
   * was frozen it refuses at once, and the work's signal has aborted by the time it throws.
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
   * Runs `lead` whenever this process is the leader, until the signal aborts or `lead` returns by itself; then releases the
   * lease. The signal that `lead` gets aborts when the process is to stop or the lease was not renewed in time; it is given
   * a new one after it has ended and the lease was taken again. An error it throws while it leads is thrown from here.
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

  /** Tries until the lease is ours: when the request that took it was sent. Undefined when told to stop. */
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
      await sleep(this.#holder.clock, this.#untilNextLook(), signal).catch(() => {});
    }
    return undefined;
  }

  /** A lease that runs out in silence is taken at that moment, and not at the look after it. */
  #untilNextLook(): number {
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
      // The answer may have been slow to come, or the process slow to wake.
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

  /** Gives the lease back if it is ours. Work has ended: nobody has to wait for it to run out. */
  async #release(): Promise<void> {
    try {
      await this.#holder.request(this.#holder.renewDeadline / 2, undefined, async (signal) => {
        if (this.#uncertain) await this.#look(signal);
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
   * Looks at the lease and does one of the things that are allowed. Returns when the request was sent after which the lease
   * is ours, undefined when it is not.
   */
  async #attempt(allowed: readonly Action["type"][], signal: AbortSignal): Promise<Moment | undefined> {
    // The holder knows what it wrote last; when that is no longer so, the write fails and it looks again.
    if (this.leader !== this.identity) await this.#look(signal);
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

  /** Sends a write; false, after another look, when the lease was not what it was taken to be. */
  async #write(write: () => Promise<Lease>, signal: AbortSignal): Promise<boolean> {
    this.#uncertain = true;
    try {
      this.#see(await write(), signal);
      return true;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      await this.#look(signal);
      return false;
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    this.#see(await this.#client.find(LeaseKind, this.#target, { signal }), signal);
  }

  /** What arrives after we gave up waiting for it is old news. */
  #see(lease: Lease | undefined, signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#observed = observe(this.#observed, lease, this.#holder.steady());
    this.#uncertain = false;
  }
}
