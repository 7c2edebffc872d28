import assert from "node:assert/strict";
import type { Mutation, Entry, Store, Watch, WatchBatch, WatchEvent } from "../store.js";

/** How the suite gets at the store it examines. */
export interface StoreHarness {
  /** A new, empty store that keeps its history until told otherwise. The suite closes it. */
  create(): Promise<Store>;
  /** Opens again what a store left behind that has been closed. Leave it out where nothing survives. */
  reopen?(closed: Store): Promise<Store>;
  /** Lets time pass for the stores of this harness: moves a virtual clock, or really waits. */
  advance(milliseconds: number): Promise<void>;
  /** How many random histories to try. Default 50. */
  runs?: number | undefined;
  /** The seed of a failed run, to see it again. */
  seed?: number | undefined;
}

/** One thing that a store must get right; `run` throws when it does not. */
export interface ConformanceCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export type Cases = Record<string, (store: Store, harness: StoreHarness) => Promise<void>>;

/** Each case gets a store of its own, which is closed whatever happens. */
export function withStores(harness: StoreHarness, cases: Cases): ConformanceCase[] {
  return Object.entries(cases).map(([name, body]) => ({
    name,
    async run() {
      const store = await harness.create();
      try {
        await body(store, harness);
      } finally {
        await store.close();
      }
    },
  }));
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array): string => new TextDecoder().decode(value);

export const put = (key: string, value: string, more: { expect?: number; ttl?: number } = {}): Mutation => ({
  type: "put",
  key,
  value: bytes(value),
  ...more,
});

export const remove = (key: string, expect?: number): Mutation => ({ type: "delete", key, expect });

/** Commits mutations and returns its revision. */
export async function commit(store: Store, ...mutations: Mutation[]): Promise<number> {
  return (await store.commit(mutations)).revision;
}

/** An entry as `key=value@revision`, which reads well where two lists of them differ. */
export const shown = (entry: Entry): string => `${entry.key}=${text(entry.value)}@${entry.revision}`;

export function shownEvent(event: WatchEvent): string {
  const before = event.previous ? ` was ${shown(event.previous)}` : "";
  return event.type === "put"
    ? `${shown(event.entry)}${before}`
    : `${event.key} gone@${event.revision}${before}`;
}

/** A watch with its reader: reads on from time to time, and stays open in between. */
export class Following {
  readonly #iterator: AsyncIterator<WatchBatch>;
  #pending: Promise<IteratorResult<WatchBatch>> | undefined;

  constructor(readonly watch: Watch) {
    this.#iterator = watch[Symbol.asyncIterator]();
  }

  /** Reads until everything up to a revision has been handed out. */
  async through(revision: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (;;) {
      // First what was asked for the last time: once it is there, it counts as handed out.
      const result = this.#pending && (await Promise.race([this.#pending, turn()]));
      if (result !== undefined) {
        this.#pending = undefined;
        assert(!result.done, `the watch ended at ${this.watch.revision}, before ${revision}`);
        checkBatch(result.value);
        events.push(...result.value.events);
      } else if (this.watch.revision >= revision) return events;
      else this.#pending ??= this.#iterator.next();
    }
  }

  async end(): Promise<void> {
    await this.#iterator.return?.();
    await this.#pending;
  }
}

/** Everything that a watch hands out up to a revision. */
export async function readThrough(watch: Watch, revision: number): Promise<WatchEvent[]> {
  const following = new Following(watch);
  try {
    return await following.through(revision);
  } finally {
    await following.end();
  }
}

/** What a watch that has just been started says first. */
export function firstOf(watch: Watch): Promise<IteratorResult<WatchBatch>> {
  return watch[Symbol.asyncIterator]().next();
}

/** The next batch of a watch. */
export async function nextBatch(iterator: AsyncIterator<WatchBatch>): Promise<WatchBatch> {
  const result = await iterator.next();
  assert(!result.done, "the watch ended");
  checkBatch(result.value);
  return result.value;
}

function checkBatch({ events, revision }: WatchBatch): void {
  assert(events.length > 0, "a batch is never empty");
  const revisions = events.map((event) => event.revision);
  assert.deepEqual(
    revisions,
    revisions.toSorted((a, b) => a - b),
    "a batch is in order of revision",
  );
  assert((revisions.at(-1) ?? 0) <= revision, "a batch ends at its revision");
}

function turn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(resolve, undefined));
}
