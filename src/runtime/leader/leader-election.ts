import { hostname } from "node:os";
import { Lease as LeaseKind } from "../../client/kinds/kubernetes.js";
import {
  duration,
  isAlreadyExists,
  isConflict,
  isNotFound,
  newUid,
  sleep,
  systemClock,
  systemRandom,
  type Clock,
  type Duration,
  type Random,
  jitter,
  within,
} from "../../model/core.js";
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
import { steadyOf, type Moment, type SteadyClock } from "../lease/moment.js";
import { NotLeaderError, Term } from "../lease/term.js";
import { checkTiming } from "../lease/timing.js";

export interface LeaderElectionOptions {
  readonly client: LeaseClient;
  /** Where the Lease is. */
  readonly namespace: string;
  /** The Lease's name: those who give the same one elect one among them. */
  readonly name: string;
  /** Names this process, and no other that runs at the same time; host name and a random part unless told. */
  readonly identity?: string | undefined;
  /** How long others wait for a silent leader. Default 15 s. */
  readonly leaseDuration?: Duration | undefined;
  /** How long a leader works on without having renewed its lease; shorter than the lease. Default 10 s. */
  readonly renewDeadline?: Duration | undefined;
  /** How often the leader renews; the others look twice as often. Default 2 s. */
  readonly retryPeriod?: Duration | undefined;
  readonly clock?: Clock | undefined;
  /** Measures time that nobody can set; the machine's own unless told. */
  readonly steady?: SteadyClock | undefined;
  readonly random?: Random | undefined;
  /** Is told of requests that failed; the election goes on. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Waits are longer by chance by up to this many times themselves, so that candidates do not ask all at once. */
const jitterFactor = 0.2;

/** How many times a write is decided anew when somebody else was faster. */
const tries = 3;

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
export class LeaderElection {
  readonly identity: string;
  readonly #client: LeaseClient;
  readonly #where: { readonly namespace: string; readonly name: string };
  readonly #me: Candidate;
  readonly #renewDeadline: number;
  readonly #retryPeriod: number;
  readonly #clock: Clock;
  readonly #steady: SteadyClock;
  readonly #random: Random;
  readonly #onError: (error: unknown) => void;
  #observed = observe(undefined, undefined, 0);
  /** A write was sent whose answer has not been seen: the lease may be ours without our knowing. */
  #unsure = false;
  #term: Term | undefined;
  #running = false;

  constructor(options: LeaderElectionOptions) {
    const { client, namespace, name, clock = systemClock, random = systemRandom } = options;
    const leaseDuration = duration(options.leaseDuration ?? "15s");
    this.#renewDeadline = duration(options.renewDeadline ?? "10s");
    this.#retryPeriod = duration(options.retryPeriod ?? "2s");
    checkTiming({
      leaseDuration,
      renewDeadline: this.#renewDeadline,
      retryPeriod: this.#retryPeriod,
      jitterFactor,
    });
    this.identity = options.identity || `${hostname()}_${newUid(random)}`;
    this.#me = { identity: this.identity, leaseDuration };
    this.#client = client;
    this.#where = { namespace, name };
    this.#clock = clock;
    this.#steady = options.steady ?? steadyOf(clock);
    this.#random = random;
    this.#onError = options.onError ?? (() => {});
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
    const { namespace, name } = this.#where;
    const who = this.leader === undefined || this.leader === this.identity ? "" : `; ${this.leader} has it`;
    throw new NotLeaderError(
      `${this.identity} does not hold the lease ${namespace}/${name}${who}: stop, and wait for the next term`,
    );
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
        const taken = await this.#within(this.#renewDeadline, signal, (signal) =>
          this.#attempt(["create", "acquire", "renew"], signal),
        );
        if (taken !== undefined) return taken;
      } catch (error) {
        if (!signal?.aborted) this.#onError(error);
      }
      await sleep(this.#clock, this.#untilNextLook(), signal).catch(() => {});
    }
    return undefined;
  }

  /** A lease that runs out in silence is taken at that moment, and not at the look after it. */
  #untilNextLook(): number {
    const usual = jitter(this.#random, this.#retryPeriod / 2, jitterFactor);
    const now = this.#now();
    const action = decide(this.#observed, now, this.#me);
    return action.type === "wait" ? Math.min(usual, action.until - now.steady) : usual;
  }

  async #serve(
    renewed: Moment,
    lead: (signal: AbortSignal) => unknown,
    signal: AbortSignal | undefined,
  ): Promise<"done" | "lost"> {
    const now = (): Moment => this.#now();
    const term = new Term({ clock: this.#clock, now, deadline: this.#renewDeadline, renewed });
    const stop = (): void => term.stop(signal?.reason);
    const ended = new AbortController();
    signal?.addEventListener("abort", stop, { once: true });
    let renewing: Promise<void> | undefined;
    try {
      if (signal?.aborted) return "done";
      // The answer may have been slow to come, or the process slow to wake.
      if (!term.holds) return "lost";
      this.#term = term;
      renewing = this.#renew(term, ended.signal);
      await lead(term.signal);
      return term.signal.aborted && !signal?.aborted ? "lost" : "done";
    } catch (error) {
      if (!term.signal.aborted) throw error;
      const expected = error === term.signal.reason || error instanceof NotLeaderError;
      if (!expected) this.#onError(error);
      return signal?.aborted ? "done" : "lost";
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#term = undefined;
      term.end();
      ended.abort();
      await renewing;
    }
  }

  /** Keeps the lease until the work has ended or the term is lost. */
  async #renew(term: Term, ended: AbortSignal): Promise<void> {
    while (!ended.aborted && term.holds) {
      try {
        await sleep(this.#clock, this.#retryPeriod, ended);
        if (!term.holds) return;
        // An answer that never comes must leave time for another try.
        const patience = Math.max(this.#retryPeriod, this.#renewDeadline / 2);
        const limit = Math.min(patience, term.remaining);
        const renewed = await this.#within(limit, ended, (signal) => this.#attempt(["renew"], signal));
        if (renewed !== undefined) term.renew(renewed);
        else term.lose(`its lease ${this.leader === undefined ? "is gone" : `is held by ${this.leader}`}`);
      } catch (error) {
        if (!ended.aborted) this.#onError(error);
      }
    }
  }

  /** Gives the lease back if it is ours. Work has ended: nobody has to wait for it to run out. */
  async #release(): Promise<void> {
    try {
      await this.#within(this.#renewDeadline / 2, undefined, async (signal) => {
        if (this.#unsure) await this.#look(signal);
        for (let left = tries; left > 0; left--) {
          const lease = released(this.#observed, this.#now(), this.#me);
          if (lease === undefined) return;
          if (await this.#write(() => this.#client.update(lease, { signal }), signal)) return;
        }
      });
    } catch (error) {
      this.#onError(error);
    }
  }

  /**
   * Looks at the lease and does one of the things that are allowed. Returns when the request was sent after which the lease
   * is ours, undefined when it is not.
   */
  async #attempt(allowed: readonly Action["type"][], signal: AbortSignal): Promise<Moment | undefined> {
    // The holder knows what it wrote last; when that is no longer so, the write fails and it looks again.
    if (this.leader !== this.identity) await this.#look(signal);
    for (let left = tries; left > 0; left--) {
      const sent = this.#now();
      const action = decide(this.#observed, sent, this.#me);
      if (action.type === "wait" || !allowed.includes(action.type)) return undefined;
      const write = (): Promise<Lease> =>
        action.type === "create"
          ? this.#client.create(LeaseKind, { metadata: this.#where, spec: action.spec }, { signal })
          : this.#client.update(action.lease, { signal });
      if (await this.#write(write, signal)) return sent;
    }
    return undefined;
  }

  /** Sends a write; false, after another look, when the lease was not what it was taken to be. */
  async #write(write: () => Promise<Lease>, signal: AbortSignal): Promise<boolean> {
    this.#unsure = true;
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
    this.#see(await this.#client.find(LeaseKind, this.#where, { signal }), signal);
  }

  /** What arrives after we gave up waiting for it is old news. */
  #see(lease: Lease | undefined, signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#observed = observe(this.#observed, lease, this.#steady());
    this.#unsure = false;
  }

  #within<T>(
    limit: number,
    signal: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { namespace, name } = this.#where;
    return within(
      { clock: this.#clock, limit, what: `asking for the lease ${namespace}/${name}`, signal },
      call,
    );
  }

  #now(): Moment {
    return { wall: this.#clock.now(), steady: this.#steady() };
  }
}
