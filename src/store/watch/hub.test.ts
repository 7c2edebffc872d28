import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Compacted, FutureRevision, SlowWatcher, StoreClosed } from "../errors.js";
import type { StoreWatchOptions, StoreWatch, WatchBatch, StoreEvent } from "../store.js";
import { WatchHub, type HistoryPage, type HistoryReader, type HistoryRequest } from "./hub.js";

/**
 * A store on a remote engine, reduced to what the hub sees of it. A page of history is read commit by commit, and before
 * each commit, and before the page is returned, the reader waits at the gate. It takes no snapshot: commits that were
 * compacted away meanwhile are missing from the page.
 */
class RemoteLog implements HistoryReader {
  readonly commits: { revision: number; events: StoreEvent[] }[] = [];
  readonly requests: HistoryRequest[] = [];
  readonly #gate: (() => Promise<void>) | undefined;
  readonly #pageSize: number;
  readonly hub: WatchHub;
  floor = 0;

  constructor(options: { gate?: () => Promise<void>; pageSize?: number } = {}) {
    this.#gate = options.gate;
    this.#pageSize = options.pageSize ?? 1000;
    this.hub = new WatchHub(this, 0);
  }

  get revision(): number {
    return this.commits.at(-1)?.revision ?? 0;
  }

  commit(...keys: string[]): number {
    const revision = this.revision + 1;
    const value = new Uint8Array(10);
    const events = keys.map((key): StoreEvent => {
      return { type: "put", key, revision, entry: { key, value, revision, created: revision } };
    });
    this.commits.push({ revision, events });
    this.hub.publish(this.hub.hasMembers ? events : [], revision);
    return revision;
  }

  async read(request: HistoryRequest): Promise<HistoryPage> {
    this.requests.push(request);
    const { prefix, after } = request;
    const through = Math.min(request.through, after + this.#pageSize);
    const events: StoreEvent[] = [];
    for (const commit of this.commits.slice(after, through)) {
      await this.#gate?.();
      if (commit.revision > this.floor) events.push(...commit.events);
    }
    await this.#gate?.();
    return { events: events.filter(({ key }) => key.startsWith(prefix)), through };
  }

  /** Events that a watch must see, as `key@revision`. */
  expected(prefix: string, from: number, through = this.revision): string[] {
    return this.commits
      .slice(from, through)
      .flatMap(({ events }) => events)
      .filter(({ key }) => key.startsWith(prefix))
      .map(showEvent);
  }
}

const showEvent = ({ key, revision }: StoreEvent): string => `${key}@${revision}`;

/** A gate that stays shut until it is opened for one, or for all. */
class Gate {
  readonly #waiting: (() => void)[] = [];
  #open = false;

  readonly pass = (): Promise<void> =>
    this.#open ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));

  openOnce(chosen = 0): void {
    if (this.#waiting.length > 0) this.#waiting.splice(chosen % this.#waiting.length, 1)[0]?.();
  }

  open(): void {
    this.#open = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Reads a watch in the background, and waits at the gate after each batch. */
class Reading {
  readonly batches: WatchBatch[] = [];
  readonly ended: Promise<unknown>;
  /** Error the watch ended with; null when it ended quietly. */
  error: unknown;

  constructor(watch: StoreWatch, gate?: () => Promise<void>) {
    this.ended = this.#read(watch, gate).then(
      () => (this.error = null),
      (error: unknown) => (this.error = error),
    );
  }

  get events(): string[] {
    return this.batches.flatMap(({ events }) => events).map(showEvent);
  }

  async #read(watch: StoreWatch, gate?: () => Promise<void>): Promise<void> {
    for await (const batch of watch) {
      this.batches.push(batch);
      await gate?.();
    }
  }
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await turn();
}

describe("the hand-over from history to live events", () => {
  test("delivers commits made during a read once, in order, after the page", async () => {
    const gate = new Gate();
    const log = new RemoteLog({ gate: gate.pass });
    for (const key of ["/a", "/b", "/c"]) log.commit(key);
    const reading = new Reading(log.hub.watch({ prefix: "/", from: 1 }));
    await turns(2);
    log.commit("/d", "/e");
    log.commit("/f");
    gate.open();
    await turns(3);
    log.commit("/g");
    await turns(3);
    expect(reading.events).toEqual(log.expected("/", 1));
    log.hub.close();
    await reading.ended;
  });

  test("ends after two pages although others commit during every read", async () => {
    const log: RemoteLog = new RemoteLog({
      gate: async () => {
        if (log.revision < 1000) log.commit("/busy");
      },
    });
    log.commit("/first");
    const reading = new Reading(log.hub.watch({ prefix: "/", from: 0 }));
    await turns(5);
    expect(log.requests.map(({ after, through }) => [after, through])).toEqual([
      [0, 1],
      [1, 3],
    ]);
    expect(reading.events).toEqual(log.expected("/", 0));
    log.hub.close();
    await reading.ended;
  });

  test("reads a long history page by page without buffering live events", async () => {
    const gate = new Gate();
    const log = new RemoteLog({ gate: gate.pass, pageSize: 10 });
    for (let index = 0; index < 35; index++) log.commit("/a");
    const reading = new Reading(log.hub.watch({ prefix: "/", from: 0 }));
    await turns(2);
    expect(log.hub.hasMembers).toBe(false);
    gate.open();
    await turns(10);
    expect(log.requests.map(({ after }) => after)).toEqual([0, 10, 20, 30]);
    expect(log.hub.hasMembers).toBe(true);
    expect(reading.events).toEqual(log.expected("/", 0));
    log.hub.close();
    await reading.ended;
  });

  test("drops a buffer that overflows during a read, and reads history instead", async () => {
    const gate = new Gate();
    const log = new RemoteLog({ gate: gate.pass });
    log.commit("/a");
    const reading = new Reading(log.hub.watch({ prefix: "/", from: 0, buffer: { events: 10 } }));
    await turns(2);
    log.commit("/b");
    // The first page ends at revision 1, which is no longer the newest: the watch joins and reads on.
    gate.openOnce();
    gate.openOnce();
    await turns(2);
    gate.openOnce();
    await turns(2);
    expect(log.hub.hasMembers).toBe(true);
    for (let index = 0; index < 50; index++) log.commit("/c");
    expect(log.hub.hasMembers).toBe(false);
    gate.open();
    await turns(5);
    expect(reading.events).toEqual(log.expected("/", 0));
    expect(log.requests.map(({ after, through }) => [after, through])).toEqual([
      [0, 1],
      [1, 2],
      [2, 52],
    ]);
    expect(log.hub.hasMembers).toBe(true);
    log.hub.close();
    await reading.ended;
  });

  test("fails with Compacted when the floor passes the watch during a read", async () => {
    const gate = new Gate();
    const log = new RemoteLog({ gate: gate.pass });
    for (const key of ["/a", "/b", "/c"]) log.commit(key);
    const reading = new Reading(log.hub.watch({ prefix: "/", from: 1 }));
    await turns(2);
    log.floor = 2;
    gate.open();
    await reading.ended;
    expect(reading.events).toEqual([]);
    expect(reading.error).toBeInstanceOf(Compacted);
    expect(reading.error).toMatchObject({ revision: 1, floor: 2 });
    expect(log.hub.hasMembers).toBe(false);
  });

  test("fails with the reader's error when another process has compacted", async () => {
    const log = new RemoteLog();
    log.commit("/a");
    log.read = () => Promise.reject(new Compacted(0, 1));
    const reading = new Reading(log.hub.watch({ prefix: "/", from: 0 }));
    await reading.ended;
    expect(reading.error).toBeInstanceOf(Compacted);
  });

  test("hands consecutive batches to calls of next() that overlap", async () => {
    const gate = new Gate();
    const log = new RemoteLog({ gate: gate.pass, pageSize: 1 });
    log.commit("/a");
    log.commit("/b");
    const iterator = log.hub.watch({ prefix: "/", from: 0 })[Symbol.asyncIterator]();
    const results = [iterator.next(), iterator.next(), iterator.next()];
    gate.open();
    await turns(3);
    log.commit("/c");
    const batches = await Promise.all(results);
    expect(batches.map(({ value }) => value?.events.map(showEvent))).toEqual([["/a@1"], ["/b@2"], ["/c@3"]]);
    await iterator.return?.();
  });
});

describe("a watch that ends during a read of history", () => {
  /** A watch whose read never settles by itself. */
  async function reading(options: Partial<StoreWatchOptions> = {}) {
    const log = new RemoteLog();
    log.commit("/a");
    let reject = (_error: Error): void => {};
    let signal: AbortSignal | undefined;
    log.read = (request) => {
      ({ signal } = request);
      return new Promise((_, rejectRead) => (reject = rejectRead));
    };
    const iterator = log.hub.watch({ prefix: "/", from: 0, ...options })[Symbol.asyncIterator]();
    const next = iterator.next();
    await turns(2);
    return { log, iterator, next, fail: (error: Error) => reject(error), aborted: () => signal?.aborted };
  }

  test("ends at once when its signal aborts, and ignores what the read comes to", async () => {
    const controller = new AbortController();
    const { log, next, fail, aborted } = await reading({ signal: controller.signal });
    expect(aborted()).toBe(false);
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(aborted()).toBe(true);
    // An unhandled rejection would fail the test run.
    fail(new Error("connection lost"));
    await turns(2);
    log.commit("/b");
    expect(log.hub.hasMembers).toBe(false);
  });

  test("ends at once when its reader leaves", async () => {
    const { log, iterator, next, aborted } = await reading();
    await iterator.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(aborted()).toBe(true);
    expect(log.hub.hasMembers).toBe(false);
  });

  test("fails at once when the store is closed", async () => {
    const { log, iterator, next, aborted } = await reading();
    log.hub.close();
    await expect(next).rejects.toThrow(StoreClosed);
    expect(aborted()).toBe(true);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  test("fails with the error of the read", async () => {
    const { iterator, next, fail } = await reading();
    fail(new Error("connection lost"));
    await expect(next).rejects.toThrow("connection lost");
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});

describe("a watch from a revision that has not been published", () => {
  test("waits where a store can tell that the commit exists", async () => {
    const log = new RemoteLog();
    log.commit("/a");
    Object.assign(log, {
      async reach(revision: number) {
        while (log.revision < revision) log.commit(`/other/${log.revision}`);
      },
    });
    const reading = new Reading(log.hub.watch({ prefix: "/", from: 3 }));
    await turns(2);
    log.commit("/b");
    await turns(2);
    expect(reading.events).toEqual(["/b@4"]);
    log.hub.close();
    await reading.ended;
  });

  test("fails with FutureRevision where there is no such commit", async () => {
    const log = new RemoteLog();
    log.commit("/a");
    Object.assign(log, { reach: () => turn() });
    const next = log.hub.watch({ prefix: "/", from: 2 })[Symbol.asyncIterator]().next();
    await expect(next).rejects.toThrow(FutureRevision);
  });

  test("ends at once when it is aborted while it waits", async () => {
    const log = new RemoteLog();
    Object.assign(log, { reach: () => new Promise(() => {}) });
    const controller = new AbortController();
    const watch = log.hub.watch({ prefix: "/", from: 2, signal: controller.signal });
    const next = watch[Symbol.asyncIterator]().next();
    await turn();
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

describe("whatever the order of commits, reads and compaction", () => {
  type Step =
    | { do: "commit"; keys: string[]; times: number }
    | { do: "watch"; prefix: string; from: number; buffer: number }
    | { do: "open"; times: number; which: number }
    | { do: "compact"; at: number }
    | { do: "abort"; which: number };

  const times = fc.integer({ min: 1, max: 6 });
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("commit" as const),
        keys: fc.uniqueArray(fc.constantFrom("/a/1", "/a/2", "/b"), { minLength: 1 }),
        times,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("watch" as const),
        prefix: fc.constantFrom("/", "/", "/a/", "/b", "/none"),
        from: fraction,
        buffer: fc.constantFrom(1, 10, 1000),
      }),
    },
    { weight: 10, arbitrary: fc.record({ do: fc.constant("open" as const), times, which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), at: fraction }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("abort" as const), which: fc.nat() }) },
  );
  /** Turns of the event loop after a step; with none, the next step happens in the same turn. */
  const pause = fc.constantFrom(0, 2, 2);
  const steps = fc.array(fc.tuple(step, pause), { minLength: 20, maxLength: 80 });

  /** A log with watches on it. Its readers and the readers of the watches wait at one gate. */
  class World {
    readonly gate = new Gate();
    readonly log: RemoteLog;
    readonly watches: {
      options: StoreWatchOptions & { from: number };
      reading: Reading;
      abort: AbortController;
    }[] = [];

    constructor(pageSize: number) {
      this.log = new RemoteLog({ gate: this.gate.pass, pageSize });
    }

    async take(step: Step): Promise<void> {
      const { log, gate, watches } = this;
      switch (step.do) {
        case "commit":
          for (let left = step.times; left > 0; left--) log.commit(...step.keys);
          return;
        case "watch":
          return this.#watch(step);
        case "open":
          for (let left = step.times; left > 0; left--) {
            gate.openOnce(step.which);
            await turn();
          }
          return;
        case "compact":
          log.floor = Math.max(log.floor, Math.floor(step.at * log.revision));
          return;
        case "abort":
          return watches[step.which % watches.length]?.abort.abort();
      }
    }

    #watch({ prefix, from, buffer }: Step & { do: "watch" }): void {
      const abort = new AbortController();
      const options = {
        prefix,
        from: Math.floor(from * this.log.revision),
        buffer: { events: buffer },
        signal: abort.signal,
      };
      const reading = new Reading(this.log.hub.watch(options), this.gate.pass);
      this.watches.push({ options, reading, abort });
    }

    async finish(): Promise<void> {
      const { log, gate, watches } = this;
      gate.open();
      // A page of history and its batch take a few turns, and there is at most one page per revision.
      await turns(3 * log.revision + 10);
      for (const each of watches) this.#check(each);
      log.hub.close();
      await Promise.all(watches.map(({ reading }) => reading.ended));
      expect(log.hub.hasMembers).toBe(false);
    }

    #check({
      options: { prefix, from },
      reading: { batches, events, error },
      abort,
    }: World["watches"][number]): void {
      // However a watch ended, it has seen the beginning of what happened, in whole commits.
      const seen = batches.at(-1)?.revision ?? from;
      expect(events).toEqual(this.log.expected(prefix, from, seen));
      if (error === undefined) expect(events).toEqual(this.log.expected(prefix, from));
      else if (error === null) expect(abort.signal.aborted).toBe(true);
      else if (error instanceof Compacted) expect(error.revision).toBeLessThan(this.log.floor);
      else expect(error).toBeInstanceOf(SlowWatcher);
    }
  }

  test("a watch sees every event once and in order, or says why it ended", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (steps, pageSize) => {
        const world = new World(pageSize);
        for (const [step, pause] of steps) {
          await world.take(step);
          await turns(pause);
        }
        await world.finish();
      }),
      { numRuns: 300 },
    );
  });
});
