import assert from "node:assert/strict";
import { Conflict } from "../errors.js";
import type { Mutation, Entry, Store, StoreWatch, WatchBatch, StoreEvent } from "../store.js";

/** Access of the suite to the store under test. */
export interface StoreHarness {
  /** Creates an empty store that never compacts by itself. The suite closes it. */
  create(): Promise<Store>;
  /** Opens the data of a closed store again. Leave it out if data does not outlive the store. */
  reopen?(closed: Store): Promise<Store>;
  /** Opens a second store on the data of an open one. Leave it out if only one store can have the data open. */
  openSecond?(first: Store): Promise<Store>;
  /** Lets time pass for the stores: advances a virtual clock, or waits. */
  advance(milliseconds: number): Promise<void>;
  /** Number of random histories. Default 50. */
  runs?: number | undefined;
  /** Seed of a failed run, to repeat it. */
  seed?: number | undefined;
}

/** One promise of the contract; `run` throws when the store breaks it. */
export interface ConformanceCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Harness of one case, after which all stores that it opened are closed. */
export type CaseHarness = Required<Omit<StoreHarness, "runs" | "seed">>;

export type Cases = Record<string, (store: Store, harness: CaseHarness) => Promise<void>>;

/** Cases for two stores that are open on the same data. */
export type TwoStoreCases = Record<
  string,
  (first: Store, second: Store, harness: CaseHarness) => Promise<void>
>;

/** Makes cases runnable; `start` opens the stores that the body of a case takes. */
export function runnable<Body>(
  harness: StoreHarness,
  cases: Record<string, Body>,
  start: (body: Body, harness: CaseHarness) => Promise<void>,
): ConformanceCase[] {
  return Object.entries(cases).map(([name, body]) => ({
    name,
    run: () => closingStores(harness, (tracked) => start(body, tracked)),
  }));
}

export async function closingStores(
  harness: StoreHarness,
  body: (harness: CaseHarness) => Promise<void>,
): Promise<void> {
  const stores: Store[] = [];
  const track = async (opening: Promise<Store>): Promise<Store> => {
    const store = await opening;
    stores.push(store);
    return store;
  };
  const tracked: CaseHarness = {
    create: () => track(harness.create()),
    reopen: (closed) => track(harness.reopen?.(closed) ?? assert.fail("the harness has no reopen()")),
    openSecond: (first) =>
      track(harness.openSecond?.(first) ?? assert.fail("the harness has no openSecond()")),
    advance: (milliseconds) => harness.advance(milliseconds),
  };
  try {
    await body(tracked);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
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

/** Commits mutations and returns the revision. */
export async function commit(store: Store, ...mutations: Mutation[]): Promise<number> {
  return (await store.commit(mutations)).revision;
}

/** Adds one to the number at a key by compare-and-swap, and tries again after a conflict. */
export async function increment(store: Store, key: string): Promise<void> {
  for (;;) {
    const entry = (await store.get(key)) ?? assert.fail();
    try {
      await commit(store, put(key, String(Number(text(entry.value)) + 1), { expect: entry.revision }));
      return;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }
}

/** Formats an entry as `key=value@revision`, for readable differences between lists. */
export const showEntry = (entry: Entry): string => `${entry.key}=${text(entry.value)}@${entry.revision}`;

export function showEvent(event: StoreEvent): string {
  const before = event.previous ? ` was ${showEntry(event.previous)}` : "";
  return event.type === "put"
    ? `${showEntry(event.entry)}${before}`
    : `${event.key} deleted@${event.revision}${before}`;
}

/** Reader of a watch that reads in steps and keeps the watch open in between. */
export class WatchReader {
  readonly #iterator: AsyncIterator<WatchBatch>;
  #pending: Promise<IteratorResult<WatchBatch>> | undefined;

  constructor(readonly watch: StoreWatch) {
    this.#iterator = watch[Symbol.asyncIterator]();
  }

  /** Reads until everything up to a revision has been delivered. */
  async through(revision: number): Promise<StoreEvent[]> {
    const events: StoreEvent[] = [];
    for (;;) {
      // A batch that an earlier call of next() has taken counts as delivered, so it comes first.
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

/** Reads all events of a watch up to a revision, and ends the watch. */
export async function readThrough(watch: StoreWatch, revision: number): Promise<StoreEvent[]> {
  const reader = new WatchReader(watch);
  try {
    return await reader.through(revision);
  } finally {
    await reader.end();
  }
}

/** First result of a watch. */
export function firstOf(watch: StoreWatch): Promise<IteratorResult<WatchBatch>> {
  return watch[Symbol.asyncIterator]().next();
}

/** Reads the next batch of a watch. */
export async function nextBatch(iterator: AsyncIterator<WatchBatch>): Promise<WatchBatch> {
  const result = await iterator.next();
  assert(!result.done, "the watch ended");
  checkBatch(result.value);
  return result.value;
}

function checkBatch({ events, revision }: WatchBatch): void {
  assert(events.length > 0, "the batch is empty");
  const revisions = events.map((event) => event.revision);
  assert.deepEqual(
    revisions,
    revisions.toSorted((a, b) => a - b),
    "the batch is not in order of revision",
  );
  assert((revisions.at(-1) ?? 0) <= revision, "the batch has events after its revision");
}

function turn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(resolve, undefined));
}
