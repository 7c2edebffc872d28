import assert from "node:assert/strict";
import fc from "fast-check";
import { Compacted, Conflict, StoreClosed } from "../errors.js";
import type { Mutation, Store } from "../store.js";
import {
  bytes,
  closingStores,
  firstOf,
  WatchReader,
  showEntry,
  showEvent,
  type CaseHarness,
  type ConformanceCase,
  type StoreHarness,
} from "./harness.js";
import { ReferenceModel } from "./model.js";

/** Step of a history. `at` and `from` are fractions of the revisions that exist when the step runs. */
type Step =
  | {
      do: "commit";
      mutations: { key: string; value: string | undefined; expect: "any" | "right" | "wrong" }[];
    }
  | { do: "burst"; keys: string[] }
  | { do: "get"; key: string; at: number }
  | { do: "range"; prefix: string; at: number; limit: number }
  | { do: "watch"; prefix: string; from: number; previous: boolean }
  | { do: "read"; watch: number }
  | { do: "compact"; at: number }
  | { do: "reopen" };

interface OpenWatch {
  reader: WatchReader;
  readonly prefix: string;
  readonly previous: boolean;
  /** Revision up to which the events have been compared. */
  from: number;
  /** True once it has caught up, so that compaction no longer affects it. */
  live: boolean;
}

const key = fc.constantFrom("/a", "/a/1", "/a/2", "/a/22", "/b/1", "/b/é", "/b/￿", "/b/😀", "/c");
const prefix = fc.constantFrom("", "/", "/a", "/a/", "/a/2", "/b/", "/zzz");
const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const mutation = fc.record({
  key,
  value: fc.option(fc.string({ maxLength: 8, unit: "grapheme" }), { nil: undefined, freq: 4 }),
  expect: fc.constantFrom("any" as const, "right" as const, "right" as const, "wrong" as const),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("commit" as const),
      mutations: fc.uniqueArray(mutation, { minLength: 1, maxLength: 4, selector: (one) => one.key }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("burst" as const),
      keys: fc.array(key, { minLength: 2, maxLength: 20 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("get" as const), key, at: fraction }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("range" as const),
      prefix,
      at: fraction,
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("watch" as const),
      prefix,
      from: fraction,
      previous: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("read" as const), watch: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), at: fraction }) },
  { weight: 1, arbitrary: fc.constant({ do: "reopen" as const }) },
);

/** Number of the store that takes a step, where there are several. */
const turn = fc.nat({ max: 1 });

/** Random histories through one or two stores on the same data, compared step by step with the reference model. */
export function randomHistories(harness: StoreHarness, stores: 1 | 2): ConformanceCase {
  const { runs = 50, seed } = harness;
  return {
    name:
      stores === 1
        ? "random histories agree with the reference model"
        : "random histories through two stores agree with the reference model",
    run: () =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(step, turn), { minLength: 1, maxLength: 60 }), (steps) =>
          closingStores(harness, async (tracked) => {
            const first = await tracked.create();
            const second = stores === 2 ? [await tracked.openSecond(first)] : [];
            const history = new RunningHistory([first, ...second], harness.reopen && tracked);
            for (const [each, turn] of steps) await history.take(each, turn);
            await history.finish();
          }),
        ),
        { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
      ),
  };
}

class RunningHistory {
  readonly #model = new ReferenceModel();
  readonly #stores: Store[];
  /** Reopens stores, where the harness can. */
  readonly #harness: CaseHarness | undefined;
  #store: Store;
  #watches: OpenWatch[] = [];
  #values = 0;

  constructor(stores: [Store, ...Store[]], harness: CaseHarness | undefined) {
    this.#stores = stores;
    [this.#store] = stores;
    this.#harness = harness;
  }

  async take(step: Step, turn: number): Promise<void> {
    this.#store = this.#stores[turn % this.#stores.length] ?? this.#store;
    switch (step.do) {
      case "commit":
        return this.#commit(step.mutations.map((mutation) => this.#mutation(mutation)));
      case "burst":
        return this.#burst(step.keys);
      case "get":
        return this.#get(step.key, this.#revision(step.at));
      case "range":
        return this.#range(step.prefix, this.#revision(step.at), step.limit);
      case "watch":
        return this.#watch(step.prefix, this.#revision(step.from), step.previous);
      case "read":
        return this.#read(step.watch);
      case "compact":
        return this.#compact(this.#revision(step.at));
      case "reopen":
        return this.#reopen();
    }
  }

  /** Checks that every open watch delivers the remaining events. */
  async finish(): Promise<void> {
    for (const watching of this.#watches) await this.#readToEnd(watching);
    for (const { reader } of this.#watches) await reader.end();
    for (const store of this.#stores) {
      assert.deepEqual(await store.status(), { revision: this.#model.revision, floor: this.#model.floor });
    }
  }

  async #commit(mutations: Mutation[]): Promise<void> {
    const conflict = this.#model.conflict(mutations);
    if (conflict) {
      await assert.rejects(this.#store.commit(mutations), (error) => {
        assert(error instanceof Conflict, String(error));
        const { key, expected, actual } = error;
        assert.deepEqual({ key, expected, actual }, conflict);
        return true;
      });
      return;
    }
    const effective = this.#model.effective(mutations);
    const { revision } = await this.#store.commit(mutations);
    if (effective.length === 0) {
      assert.equal(revision, this.#model.revision, "a commit that changes nothing takes no revision");
      return;
    }
    assert(revision > this.#model.revision, `revision ${revision} does not follow ${this.#model.revision}`);
    this.#model.commits.push({ revision, mutations: effective });
  }

  /** Commits concurrently: all succeed, in the order of their revisions. */
  async #burst(keys: string[]): Promise<void> {
    const commits = keys.map((key) => [this.#mutation({ key, value: "burst", expect: "any" })]);
    const done = await Promise.all(
      commits.map(async (mutations) => ({
        mutations,
        revision: (await this.#store.commit(mutations)).revision,
      })),
    );
    this.#model.commits.push(...done.toSorted((a, b) => a.revision - b.revision));
    assert.equal(
      new Set(this.#model.revisions).size,
      this.#model.revisions.length,
      "every commit has its own revision",
    );
  }

  async #get(key: string, revision: number): Promise<void> {
    const read = this.#store.get(key, { revision });
    if (revision < this.#model.floor) {
      await assert.rejects(read, Compacted);
      return;
    }
    const entry = await read;
    const expected = this.#model.stateAt(revision).get(key);
    assert.equal(entry && showEntry(entry), expected && `${key}=${expected.value}@${expected.revision}`);
    assert.equal(entry?.created, expected?.created);
  }

  async #range(prefix: string, revision: number, limit: number): Promise<void> {
    if (revision < this.#model.floor) {
      await assert.rejects(this.#store.range({ prefix, revision }), Compacted);
      await assert.rejects(this.#store.count({ prefix, revision }), Compacted);
      return;
    }
    const expected = this.#model.range(prefix, revision);
    assert.deepEqual(await this.#store.count({ prefix, revision }), { count: expected.length, revision });
    const paged: string[] = [];
    let after: string | undefined;
    for (let more = true; more;) {
      const page = await this.#store.range({ prefix, revision, limit, after });
      assert(page.entries.length <= limit);
      paged.push(...page.entries.map(showEntry));
      after = page.entries.at(-1)?.key ?? after;
      more = page.more;
    }
    assert.deepEqual(paged, expected);
  }

  async #watch(prefix: string, from: number, previous: boolean): Promise<void> {
    const watch = this.#store.watch({ prefix, from, previous });
    if (from < this.#model.floor) await assert.rejects(firstOf(watch), Compacted);
    else this.#watches.push({ reader: new WatchReader(watch), prefix, from, previous, live: false });
  }

  async #read(chosen: number): Promise<void> {
    const watching = this.#watches[chosen % this.#watches.length];
    if (watching) await this.#readToEnd(watching);
  }

  /** Reads a watch up to the newest revision and compares the events with the model. */
  async #readToEnd(watching: OpenWatch): Promise<void> {
    const { reader, prefix, previous, from } = watching;
    const to = this.#model.revision;
    if (!watching.live && from < this.#model.floor) {
      await assert.rejects(reader.through(to), Compacted);
      this.#watches = this.#watches.filter((other) => other !== watching);
      return;
    }
    const seen = await reader.through(to);
    const actual = seen.map((event) => showEvent(previous ? event : { ...event, previous: undefined }));
    assert.deepEqual(actual, this.#model.events(prefix, from, to, previous));
    watching.from = to;
    watching.live ||= to > from;
  }

  async #compact(revision: number): Promise<void> {
    await this.#store.compact(revision);
    this.#model.floor = Math.max(this.#model.floor, revision);
  }

  /** Closes all stores and opens them again; watches resume from where they were. */
  async #reopen(): Promise<void> {
    const harness = this.#harness;
    if (!harness) return;
    await Promise.all(this.#stores.map((store) => store.close()));
    const [first, second] = this.#stores;
    this.#store = await harness.reopen(first ?? assert.fail());
    this.#stores.splice(0, 2, this.#store, ...(second ? [await harness.openSecond(this.#store)] : []));
    for (const watching of this.#watches) {
      await assert.rejects(watching.reader.through(Infinity), StoreClosed);
      const { prefix, from, previous } = watching;
      watching.reader = new WatchReader(this.#store.watch({ prefix, from, previous }));
      watching.live = false;
    }
  }

  #mutation({ key, value, expect }: { key: string; value: string | undefined; expect: string }): Mutation {
    const actual = this.#model.stateAt(this.#model.revision).get(key)?.revision ?? 0;
    const expected = expect === "any" ? undefined : expect === "right" ? actual : actual + 1;
    if (value === undefined) return { type: "delete", key, expect: expected };
    return { type: "put", key, expect: expected, value: bytes(`${value}#${this.#values++}`) };
  }

  /** Existing revision at a fraction of the history. */
  #revision(fraction: number): number {
    const { revisions } = this.#model;
    return revisions[Math.floor(fraction * (revisions.length - 1))] ?? 0;
  }
}
