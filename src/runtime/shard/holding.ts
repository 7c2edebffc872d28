import type { Clock, Timer } from "../../model/core.js";
import type { Owners } from "./assign.js";
import type { ShardWork } from "./sharding.js";

/** Shards that a process owns in one term. */
export class Holding {
  readonly #work: ShardWork;
  readonly #clock: Clock;
  readonly #held = new Set<number>();
  readonly #draining = new Set<number>();
  readonly #timers = new Set<Timer>();
  #shards = 0;
  #lost = false;

  constructor(work: ShardWork, clock: Clock) {
    this.#work = work;
    this.#clock = clock;
  }

  /** Number of all shards; 0 before the map was read. */
  get shards(): number {
    return this.#shards;
  }

  /** Shards in which runs may start. */
  get held(): ReadonlySet<number> {
    return this.#held;
  }

  /** Shards in which active runs may end; released when drained. */
  get draining(): ReadonlySet<number> {
    return this.#draining;
  }

  has(shard: number): boolean {
    return this.#held.has(shard) || this.#draining.has(shard);
  }

  busy(): ReadonlySet<number> {
    return this.#work.busy();
  }

  /** Draining shards without active runs. */
  drained(): ReadonlySet<number> {
    const busy = this.busy();
    return new Set([...this.#draining].filter((shard) => !busy.has(shard)));
  }

  /**
   * Follows the map: new shards are gained, missing ones are lost. If the number of shards has changed, equal numbers are
   * different shards.
   */
  followMap(owners: Owners, me: string): void {
    if (this.#lost) return;
    const gone = new Set<number>();
    const isOther = this.#shards !== owners.length;
    for (const shard of [...this.#held, ...this.#draining]) {
      if (isOther || owners[shard] !== me) gone.add(shard);
    }
    this.#drop(gone, "the shard went to another process");
    this.#shards = owners.length;
    const gained = new Set<number>();
    for (const [shard, owner] of owners.entries()) if (owner === me && !this.has(shard)) gained.add(shard);
    if (gained.size === 0) return;
    for (const shard of gained) this.#held.add(shard);
    this.#work.gained(gained);
  }

  /** Starts to release shards; runs that have not ended after `patience` milliseconds are cancelled. */
  release(shards: ReadonlySet<number>, patience: number): void {
    if (this.#lost || shards.size === 0) return;
    for (const shard of shards) {
      this.#held.delete(shard);
      this.#draining.add(shard);
    }
    this.#work.release(shards);
    const timer = this.#clock.after(patience, () => {
      this.#timers.delete(timer);
      const left = new Set([...shards].filter((shard) => this.#draining.has(shard)));
      if (left.size > 0) this.#work.cancel(left, "the shard goes to another process");
    });
    this.#timers.add(timer);
  }

  /** Ends the term: this process owns nothing any more. */
  lose(reason: string): void {
    this.#lost = true;
    for (const timer of this.#timers) timer.cancel();
    this.#drop(new Set([...this.#held, ...this.#draining]), reason);
  }

  #drop(shards: ReadonlySet<number>, reason: string): void {
    if (shards.size === 0) return;
    const held = new Set([...shards].filter((shard) => this.#held.has(shard)));
    for (const shard of shards) {
      this.#held.delete(shard);
      this.#draining.delete(shard);
    }
    if (held.size > 0) this.#work.release(held);
    const busy = this.busy();
    const left = new Set([...shards].filter((shard) => busy.has(shard)));
    if (left.size > 0) this.#work.cancel(left, reason);
  }
}
