import { hostname } from "node:os";
import type { Client } from "../../client/client.js";
import {
  duration,
  jitter,
  newUid,
  sleep,
  systemClock,
  systemRandom,
  within,
  type Clock,
  type Duration,
  type Random,
} from "../../model/core.js";
import { steadyOf, type Moment, type SteadyClock } from "../lease/moment.js";
import { NotLeaderError, Term } from "../lease/term.js";
import { checkTiming } from "../lease/timing.js";
import { Holding } from "./holding.js";
import { Registry } from "./registry.js";
import { redistribute } from "./redistribute.js";
import type { Owners } from "./assign.js";
import { shardOf } from "./shard-of.js";

/** The calls of a client that sharding makes. */
export type ShardClient = Pick<Client, "find" | "list" | "create" | "update" | "delete">;

export interface ShardingOptions {
  readonly client: ShardClient;
  /** Where the Leases are. */
  readonly namespace: string;
  /** The name of the Lease that says whose the shards are: those who give the same one share the work. */
  readonly name: string;
  /** Into how many shards the objects are divided; many more than there are processes. Those at work decide. Default 64. */
  readonly shards?: number | undefined;
  /** Names this process, and no other that runs at the same time; host name and a random part unless told. */
  readonly identity?: string | undefined;
  /** How long others wait for a silent process. Default 15 s. */
  readonly leaseDuration?: Duration | undefined;
  /** How long a process works on without having renewed its lease; shorter than the lease. Default 10 s. */
  readonly renewDeadline?: Duration | undefined;
  /** How often a process renews; it looks twice as often at what the others do. Default 2 s. */
  readonly retryPeriod?: Duration | undefined;
  /** How long what is under way may go on when a shard is to go to another process, at most. Default: half a lease. */
  readonly handOver?: Duration | undefined;
  readonly clock?: Clock | undefined;
  /** Measures time that nobody can set; the machine's own unless told. */
  readonly steady?: SteadyClock | undefined;
  readonly random?: Random | undefined;
  /** Is told of requests that failed; it goes on. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Who works on shards. Each call has done what it says when it returns; none throws. */
export interface ShardWork {
  /** These are this process's now. */
  gained(shards: ReadonlySet<number>): void;
  /** Nothing of these is begun any more; what is under way may come to its end. */
  leave(shards: ReadonlySet<number>): void;
  /** What is under way in these is cancelled. */
  cut(shards: ReadonlySet<number>, reason: string): void;
  /** The shards in which something is under way. Whenever one of them falls quiet, `sharding.quiet()` is called. */
  busy(): ReadonlySet<number>;
}

/** Waits are longer by chance by up to this many times themselves, so that processes do not ask all at once. */
const jitterFactor = 0.2;

/** How many times a change is decided anew when somebody else was faster. */
const tries = 5;

/**
 * Shares shards out among all processes that name the same Lease, and works on those of this one.
 *
 * @example
 * const sharing = sharding({ client, namespace: "default", name: "sites" });
 * await sharing.run({ gained, leave, cut, busy }, { signal });
 */
export function sharding(options: ShardingOptions): Sharding {
  return new Sharding(options);
}

/**
 * One process among several that share shards. A process **joins** with a Lease of its own, whose name nobody else ever
 * has, and keeps it by renewing it: that is its {@link Term}. Whose the shards are is written in one more Lease, the map.
 *
 * Invariant: this process works on a shard only while its term holds and the map has said, since the term began, that the
 * shard is this member's. Nobody takes a shard from the map before the member that has it has given it up, or was silent
 * for as long as its Lease lasts, which is longer than its term can be. A process whose term is over joins as another
 * member, so nothing that others decided about the old one concerns the new one.
 *
 * A shard of this process is **held** (work on it may begin), or it is **leaving** (what is under way may end; then the map
 * is written without it). From leaving there is no way back but through the map: a write whose answer was lost may still
 * arrive.
 */
export class Sharding {
  readonly identity: string;
  readonly #clock: Clock;
  readonly #steady: SteadyClock;
  readonly #random: Random;
  readonly #registry: Registry;
  readonly #renewDeadline: number;
  readonly #retryPeriod: number;
  readonly #handOver: number;
  readonly #onError: (error: unknown) => void;
  readonly #where: string;
  /** What this process was before; nobody else would free its shards as early. */
  readonly #former = new Set<string>();
  #holding: Holding | undefined;
  #term: Term | undefined;
  #running = false;
  #stopping = false;
  /** There is something to do that should not wait for the next look. */
  #nudged = false;
  #wake: () => void = () => {};
  #joined: () => void = () => {};
  readonly #ready = new Promise<void>((resolve) => (this.#joined = resolve));

  constructor(options: ShardingOptions) {
    const { client, namespace, name, clock = systemClock, random = systemRandom, shards = 64 } = options;
    const leaseDuration = duration(options.leaseDuration ?? "15s");
    this.#renewDeadline = duration(options.renewDeadline ?? "10s");
    this.#retryPeriod = duration(options.retryPeriod ?? "2s");
    this.#handOver = duration(options.handOver ?? leaseDuration / 2);
    if (!Number.isInteger(shards) || shards < 1 || shards > 4096) {
      throw new RangeError(`there cannot be ${shards} shards: give a whole number from 1 to 4096`);
    }
    const { renewDeadline, retryPeriod } = {
      renewDeadline: this.#renewDeadline,
      retryPeriod: this.#retryPeriod,
    };
    checkTiming({ leaseDuration, renewDeadline, retryPeriod, jitterFactor });
    this.identity = options.identity || `${hostname()}_${newUid(random)}`;
    this.#clock = clock;
    this.#steady = options.steady ?? steadyOf(clock);
    this.#random = random;
    this.#onError = options.onError ?? (() => {});
    this.#where = `${namespace}/${name}`;
    this.#registry = new Registry({
      client,
      namespace,
      name,
      shards,
      me: { identity: this.identity, leaseDuration },
      now: () => this.#now(),
    });
  }

  /** Into how many shards the objects are divided. */
  get shards(): number {
    return this.#holding?.shards || this.#registry.map.owners.length;
  }

  /** How many shards are this process's right now, judged by the clock. */
  get owned(): number {
    return this.#holds ? (this.#holding?.held.size ?? 0) : 0;
  }

  /** How many processes share the work, as far as this one knows. */
  get members(): number {
    return this.#alive().length;
  }

  /** Whether this process takes part right now. */
  get isMember(): boolean {
    return this.#holds;
  }

  /** Whose the shards were when this process last looked. */
  get owners(): Owners {
    return this.#registry.map.owners;
  }

  /** Resolves when this process has joined, and has taken the shards that were its own at once. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Whether work on an object may begin here, judged by the clock and not by what has been noticed so far. */
  owns(key: string): boolean {
    return this.#holds && (this.#holding?.held.has(this.shardOf(key)) ?? false);
  }

  /**
   * Throws unless work on an object that was begun here may go on. Call it before every write: after a process was frozen
   * it refuses at once, and the work has been cut by the time it throws.
   */
  guard(key: string): void {
    const shard = this.shardOf(key);
    if (this.#holds && this.#holding?.has(shard)) return;
    throw new NotLeaderError(
      `${this.identity} does not have shard ${shard} of ${this.#where}, and with it ${key}: stop, whoever has it goes on`,
    );
  }

  shardOf(key: string): number {
    return shardOf(key, this.shards);
  }

  /** Says that nothing is under way any more in some shard. */
  quiet(): void {
    const { leaving, busy } = { leaving: this.#holding?.leaving ?? [], busy: this.#holding?.busy() };
    if ([...leaving].some((shard) => !busy?.has(shard))) this.#nudge();
  }

  /**
   * Works on whatever shards are this process's, until the signal aborts; then gives them up, each as soon as nothing is
   * under way in it, and cuts what has not ended after `grace` milliseconds.
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
      this.#nudge();
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

  /** Tries until this process is a member: when the request was sent that made it one. Undefined when told to stop. */
  async #join(signal: AbortSignal): Promise<Moment | undefined> {
    this.#registry.renameTo(newUid(this.#random).slice(0, 13));
    while (!signal.aborted) {
      try {
        return await this.#within(this.#renewDeadline, signal, (signal) => this.#registry.join(signal));
      } catch (error) {
        if (signal.aborted) break;
        this.#onError(error);
      }
      await sleep(this.#clock, jitter(this.#random, this.#retryPeriod, jitterFactor), signal).catch(() => {});
    }
    return undefined;
  }

  /** One term as a member: resolves when it is over, for whatever reason. */
  async #serve(renewed: Moment, work: ShardWork, signal: AbortSignal, grace: number): Promise<void> {
    const now = (): Moment => this.#now();
    const role = `a member of ${this.#where}`;
    const term = new Term({ clock: this.#clock, now, deadline: this.#renewDeadline, renewed, role });
    const holding = new Holding(work, this.#clock);
    term.signal.addEventListener("abort", () => holding.lose(String(term.signal.reason)), { once: true });
    this.#term = term;
    this.#holding = holding;
    const patience = (): number => (signal.aborted ? grace : this.#handOver);
    const ended = new AbortController();
    const renewing = this.#renew(term, ended.signal);
    try {
      while (term.holds) {
        const passed = await this.#try(term, holding, patience);
        if (passed && signal.aborted && this.#isFree()) {
          ended.abort();
          await renewing;
          await this.#within(this.#renewDeadline / 2, undefined, (signal) => this.#registry.leave(signal));
          return;
        }
        if (term.holds) await this.#nap(term.signal);
      }
    } catch (error) {
      this.#onError(error);
    } finally {
      ended.abort();
      await renewing;
      this.#former.add(this.#registry.member);
      term.lose("it has ended");
      this.#term = undefined;
      this.#holding = undefined;
    }
  }

  /** Keeps this member's Lease. Nothing else is waited for in between: that takes its time when much is going on. */
  async #renew(term: Term, ended: AbortSignal): Promise<void> {
    while (!ended.aborted && term.holds) {
      try {
        await sleep(this.#clock, this.#retryPeriod, ended);
        if (!term.holds) return;
        // An answer that never comes must leave time for another try.
        const patience = Math.max(this.#retryPeriod, this.#renewDeadline / 2);
        const limit = Math.min(patience, term.remaining);
        const renewed = await this.#within(limit, ended, (signal) => this.#registry.renew(signal));
        if (renewed !== undefined) term.renew(renewed);
        else term.lose("its Lease is gone");
      } catch (error) {
        if (!ended.aborted) this.#onError(error);
      }
    }
  }

  async #try(term: Term, holding: Holding, patience: () => number): Promise<boolean> {
    const limit = Math.max(this.#retryPeriod, this.#renewDeadline);
    try {
      await this.#within(limit, term.signal, (signal) => this.#pass(term, holding, patience(), signal));
      return true;
    } catch (error) {
      if (!term.signal.aborted) this.#onError(error);
      return false;
    }
  }

  /** Looks at everything, and does what is to be done about the shards. */
  async #pass(term: Term, holding: Holding, patience: number, signal: AbortSignal): Promise<void> {
    const registry = this.#registry;
    this.#nudged = false;
    await registry.look(signal);
    for (let left = tries; left > 0 && term.holds; left--) {
      holding.settle(registry.map.owners, registry.member);
      const { me, busy } = { me: registry.member, busy: holding.busy() };
      const situation = {
        me,
        stopping: this.#stopping,
        members: this.#alive(),
        isFree: (owner: string, shard: number): boolean =>
          registry.members.isGone(owner) || (this.#former.has(owner) && !busy.has(shard)),
        leaving: holding.leaving,
      };
      // What is left now may be quiet already, and can be written without in the same go.
      holding.leave(redistribute(registry.map, { ...situation, drained: new Set() }).leave, patience);
      const { map } = redistribute(registry.map, { ...situation, drained: holding.drained() });
      if (map === undefined || (await registry.write(map, signal))) break;
    }
    if (term.holds) holding.settle(registry.map.owners, registry.member);
    this.#joined();
    await registry.sweep((name) => this.#former.has(name), signal);
  }

  /** Whether nothing is this member's any more. */
  #isFree(): boolean {
    return !this.#registry.map.owners.includes(this.#registry.member);
  }

  #alive(): string[] {
    return this.#registry.members.alive().filter((name) => !this.#former.has(name));
  }

  get #holds(): boolean {
    return this.#term?.holds ?? false;
  }

  /** Until it is time to look again, or there is something to do; never quite at once, as shards fall quiet one by one. */
  async #nap(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const shortest = this.#retryPeriod / 20;
    const usual = jitter(this.#random, this.#retryPeriod / 2, jitterFactor);
    // What a silent member had is free at the moment at which its Lease has run out.
    const whole = Math.max(shortest, Math.min(usual, this.#registry.members.nextGone() - this.#steady()));
    this.#wake = () => woken.abort();
    if (this.#nudged) woken.abort();
    const ends = AbortSignal.any([signal, woken.signal]);
    await sleep(this.#clock, whole - shortest, ends).catch(() => {});
    await sleep(this.#clock, shortest, signal).catch(() => {});
    this.#wake = () => {};
  }

  #nudge(): void {
    this.#nudged = true;
    this.#wake();
  }

  #within<T>(
    limit: number,
    signal: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const what = `asking for the shards of ${this.#where}`;
    return within({ clock: this.#clock, limit, what, signal }, call);
  }

  #now(): Moment {
    return { wall: this.#clock.now(), steady: this.#steady() };
  }
}
