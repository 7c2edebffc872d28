import { duration, newUid, sleep, type Duration } from "../../model/core.js";
import type { Client } from "../../client/client.js";
import type { CheckResult } from "../health/health.js";
import type { LeaseClient } from "../lease/lease.js";
import { LeaseHolder, type LeaseOptions } from "../lease/lease-holder.js";
import type { Moment } from "../lease/moment.js";
import { NotLeaderError, Term } from "../lease/term.js";
import type { Keys, OwnedWork, OwnershipOptions, WorkOwnership } from "../lease/work-ownership.js";
import { Holding } from "./holding.js";
import { MemberLeases } from "./member-leases.js";
import { redistribute } from "./redistribute.js";
import type { Owners } from "./assign.js";
import { shardOf } from "./shard-of.js";

/** Client calls that sharding needs. */
export type ShardClient = LeaseClient & Pick<Client, "list" | "delete">;

/** `name` is that of the Lease that records the owners of the shards. */
export interface ShardingOptions extends LeaseOptions {
  readonly client: ShardClient;
  /** Number of shards, many more than processes; while processes are at work, theirs applies. Default 64. */
  readonly shards?: number | undefined;
  /** Time that runs may take to end when their shard moves to another process. Default: half a lease. */
  readonly handOver?: Duration | undefined;
}

/** Work on shards. Each call is complete when it returns; none throws. */
export interface ShardWork {
  /** This process owns these shards from now on. */
  gained(shards: ReadonlySet<number>): void;
  /** Starts no more runs in these shards; active ones may end. */
  release(shards: ReadonlySet<number>): void;
  /** Cancels the runs in these shards. */
  cancel(shards: ReadonlySet<number>, reason: string): void;
  /** Shards with active runs. When the last run in one of them ends, `workEnded()` is called. */
  busy(): ReadonlySet<number>;
}

/** Attempts at a write that conflicts with that of another process. */
const maxAttempts = 5;

/**
 * Divides shards among all processes that use the same Lease, and works on those of this one.
 *
 * @example
 * const sharing = sharding({ client, namespace: "default", name: "sites" });
 * await sharing.run({ gained, release, cancel, busy }, { signal });
 */
export function sharding(options: ShardingOptions): Sharding {
  return new Sharding(options);
}

/**
 * One process among several that divide shards. A process **joins** with a Lease of its own, under a name that is never used
 * again, and keeps it by renewing it: that is its {@link Term}. The owners of the shards are recorded in one more Lease, the map.
 *
 * Invariant: this process works on a shard only while its term holds and the map has named it the owner since the term began. No
 * other process takes a shard before its owner has released it, or was silent for as long as its Lease lasts, which is longer
 * than its term can be. A process whose term is over joins as a new member, so that decisions about the old one do not concern
 * it.
 *
 * A shard of this process is **held** (work on it may begin) or **draining** (active runs may end; then the map is written without
 * it). A draining shard can be held again only through the map, because a write whose response was lost may still arrive.
 */
export class Sharding implements WorkOwnership {
  readonly #holder: LeaseHolder;
  readonly #leases: MemberLeases;
  readonly #handOver: number;
  /** Earlier memberships of this process; nobody else would free its shards as early. */
  readonly #former = new Set<string>();
  #holding: Holding | undefined;
  #term: Term | undefined;
  #running = false;
  #stopping = false;
  /** A pass should begin soon, as there is something to do. */
  #passRequested = false;
  #wake: () => void = () => {};
  #joined: () => void = () => {};
  readonly #ready = new Promise<void>((resolve) => (this.#joined = resolve));

  constructor(options: ShardingOptions) {
    const { client, namespace, name, shards = 64 } = options;
    if (!Number.isInteger(shards) || shards < 1 || shards > 4096) {
      throw new RangeError(`there cannot be ${shards} shards: give a whole number from 1 to 4096`);
    }
    const holder = new LeaseHolder(options);
    const { identity, leaseDuration } = holder;
    this.#holder = holder;
    this.#handOver = duration(options.handOver ?? leaseDuration / 2);
    this.#leases = new MemberLeases({
      client,
      namespace,
      name,
      shards,
      me: { identity, leaseDuration },
      now: () => holder.now(),
    });
  }

  get identity(): string {
    return this.#holder.identity;
  }

  /** Number of shards. */
  get shards(): number {
    return this.#holding?.shards || this.#leases.map.owners.length;
  }

  /** Shards that this process owns right now, judged by the clock. */
  get owned(): number {
    return this.#holds ? (this.#holding?.held.size ?? 0) : 0;
  }

  /** Processes that share the work, as far as this one knows. */
  get members(): number {
    return this.#aliveMembers().length;
  }

  /** Whether this process is a member right now. */
  get isMember(): boolean {
    return this.#holds;
  }

  /** Owners of the shards, as last read. */
  get owners(): Owners {
    return this.#leases.map.owners;
  }

  /** Resolves when this process has joined, and has taken the shards that were free. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Whether work on an object may begin here, judged by the clock. */
  owns(key: string): boolean {
    return this.#holds && (this.#holding?.held.has(this.shardOf(key)) ?? false);
  }

  /**
   * Throws unless work on an object that was begun here may go on. Call it before every write: a process that was suspended is refused
   * at once, and its runs have been cancelled by the time this throws.
   */
  guard(key: string): void {
    const shard = this.shardOf(key);
    if (this.#holds && this.#holding?.has(shard)) return;
    throw new NotLeaderError(
      `${this.identity} does not own shard ${shard} of ${this.#holder.path}, which has ${key}: stop this work; the owner continues it`,
    );
  }

  shardOf(key: string): number {
    return shardOf(key, this.shards);
  }

  get isActive(): boolean {
    return this.isMember;
  }

  health(): CheckResult {
    const { isMember, owned, shards, members } = this;
    if (!isMember) return { ok: false, message: "this process has no share, and tries to get one" };
    return `${owned} of ${shards} shards, ${members} ${members === 1 ? "process" : "processes"}`;
  }

  /** Lists everything before this process takes its share, and keeps its caches when it loses that. */
  async work(work: OwnedWork, { signal, grace, onStarted }: OwnershipOptions): Promise<void> {
    const keysIn =
      (shards: ReadonlySet<number>): Keys =>
      (key) =>
        shards.has(this.shardOf(key));
    try {
      await work.start(signal);
      if (signal.aborted) return;
      void this.ready().then(onStarted);
      const shardWork: ShardWork = {
        gained: (shards) => work.gained(keysIn(shards)),
        release: (shards) => work.release(keysIn(shards)),
        cancel: (shards, reason) => work.cancel(keysIn(shards), reason),
        busy: () => new Set(Array.from(work.running(), (key) => this.shardOf(key))),
      };
      await this.run(shardWork, { signal, grace });
    } finally {
      // Runs have ended or were cancelled before their shard was released.
      await work.stop(0, "the process stops");
    }
  }

  workEnded(): void {
    const { draining, busy } = { draining: this.#holding?.draining ?? [], busy: this.#holding?.busy() };
    if ([...draining].some((shard) => !busy?.has(shard))) this.#requestPass();
  }

  /**
   * Works on the shards of this process until the signal aborts; then releases each as soon as it has no active runs, and cancels
   * runs that have not ended after `grace` milliseconds.
   */
  async run(
    work: ShardWork,
    { signal, grace = this.#handOver }: { readonly signal: AbortSignal; readonly grace?: number },
  ): Promise<void> {
    if (this.#running) throw new Error("this sharding is running already: one run at a time");
    this.#running = true;
    this.#stopping = false;
    const stop = (): void => {
      this.#stopping = true;
      this.#requestPass();
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      while (!signal.aborted) {
        const renewed = await this.#join(signal);
        if (renewed === undefined) return;
        await this.#serve(renewed, work, signal, grace);
      }
    } finally {
      signal.removeEventListener("abort", stop);
      this.#running = false;
    }
  }

  /** Joins: the time at which the request was sent that made this process a member. Undefined if the signal aborts. */
  async #join(signal: AbortSignal): Promise<Moment | undefined> {
    this.#leases.renameTo(newUid(this.#holder.random).slice(0, 13));
    while (!signal.aborted) {
      try {
        return await this.#holder.request(this.#holder.renewDeadline, signal, (signal) =>
          this.#leases.join(signal),
        );
      } catch (error) {
        if (signal.aborted) break;
        this.#holder.onError(error);
      }
      await sleep(this.#holder.clock, this.#holder.jittered(this.#holder.retryPeriod), signal).catch(
        () => {},
      );
    }
    return undefined;
  }

  /** One term as a member; resolves when it is over. */
  async #serve(renewed: Moment, work: ShardWork, signal: AbortSignal, grace: number): Promise<void> {
    const term = new Term(this.#holder, renewed, `a member of ${this.#holder.path}`);
    const holding = new Holding(work, this.#holder.clock);
    term.signal.addEventListener("abort", () => holding.lose(String(term.signal.reason)), { once: true });
    this.#term = term;
    this.#holding = holding;
    const patience = (): number => (signal.aborted ? grace : this.#handOver);
    const ended = new AbortController();
    // A loop of its own: a pass takes long when there are many members.
    const renewing = this.#holder.keepRenewing(
      term,
      ended.signal,
      (signal) => this.#leases.renew(signal),
      () => "its Lease is gone",
    );
    try {
      while (term.holds) {
        const passed = await this.#tryPass(term, holding, patience);
        if (passed && signal.aborted && this.#ownsNothing()) {
          ended.abort();
          await renewing;
          await this.#holder.request(this.#holder.renewDeadline / 2, undefined, (signal) =>
            this.#leases.leave(signal),
          );
          return;
        }
        if (term.holds) await this.#waitForNextPass(term.signal);
      }
    } catch (error) {
      this.#holder.onError(error);
    } finally {
      ended.abort();
      await renewing;
      this.#former.add(this.#leases.member);
      term.lose("it has ended");
      this.#term = undefined;
      this.#holding = undefined;
    }
  }

  async #tryPass(term: Term, holding: Holding, patience: () => number): Promise<boolean> {
    const limit = Math.max(this.#holder.retryPeriod, this.#holder.renewDeadline);
    try {
      await this.#holder.request(limit, term.signal, (signal) =>
        this.#pass(term, holding, patience(), signal),
      );
      return true;
    } catch (error) {
      if (!term.signal.aborted) this.#holder.onError(error);
      return false;
    }
  }

  /** Reads all Leases, and takes and releases shards accordingly. */
  async #pass(term: Term, holding: Holding, patience: number, signal: AbortSignal): Promise<void> {
    const registry = this.#leases;
    this.#passRequested = false;
    await registry.readLeases(signal);
    for (let left = maxAttempts; left > 0 && term.holds; left--) {
      holding.followMap(registry.map.owners, registry.member);
      const { me, busy } = { me: registry.member, busy: holding.busy() };
      const situation = {
        me,
        stopping: this.#stopping,
        members: this.#aliveMembers(),
        isFree: (owner: string, shard: number): boolean =>
          registry.members.isGone(owner) || (this.#former.has(owner) && !busy.has(shard)),
        draining: holding.draining,
      };
      // Shards that are released now and have no active runs are released in the same write.
      holding.release(redistribute(registry.map, { ...situation, drained: new Set() }).release, patience);
      const { map } = redistribute(registry.map, { ...situation, drained: holding.drained() });
      if (map === undefined || (await registry.write(map, signal))) break;
    }
    if (term.holds) holding.followMap(registry.map.owners, registry.member);
    this.#joined();
    await registry.sweep((name) => this.#former.has(name), signal);
  }

  /** Whether this member owns no shards. */
  #ownsNothing(): boolean {
    return !this.#leases.map.owners.includes(this.#leases.member);
  }

  #aliveMembers(): string[] {
    return this.#leases.members.alive().filter((name) => !this.#former.has(name));
  }

  get #holds(): boolean {
    return this.#term?.holds ?? false;
  }

  /** Sleeps until the next pass, or until one is requested; with a minimum, as shards are drained one by one. */
  async #waitForNextPass(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const shortest = this.#holder.retryPeriod / 20;
    const usual = this.#holder.jittered(this.#holder.retryPeriod / 2);
    // The shards of a silent member are free as soon as its Lease has expired.
    const whole = Math.max(
      shortest,
      Math.min(usual, this.#leases.members.nextGone() - this.#holder.steady()),
    );
    this.#wake = () => woken.abort();
    if (this.#passRequested) woken.abort();
    const ends = AbortSignal.any([signal, woken.signal]);
    await sleep(this.#holder.clock, whole - shortest, ends).catch(() => {});
    await sleep(this.#holder.clock, shortest, signal).catch(() => {});
    this.#wake = () => {};
  }

  #requestPass(): void {
    this.#passRequested = true;
    this.#wake();
  }
}
