import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sleep, VirtualClock, type KubeObject, type Random } from "../../model/core.js";
import { byLabel } from "../source/index-functions.js";
import type { ObjectChange } from "../source/source.js";
import { TimeLimitError } from "../../model/core.js";
import { poll, type Listed, type Poller } from "./poll.js";
import type { PollReport } from "./stats.js";

type Site = KubeObject<{ title: string }, { pages: number }>;

function site(name: string, title = name, pages = 0, metadata: Site["metadata"] = {}): Site {
  return {
    apiVersion: "demo.dev/v1",
    kind: "Site",
    metadata: { name, ...metadata },
    spec: { title },
    status: { pages },
  };
}

const names = (objects: Iterable<KubeObject>): (string | undefined)[] =>
  Array.from(objects, ({ metadata }) => metadata.name);

/** Poller over `list`, with its changes and errors. */
function watching(
  list: (signal: AbortSignal) => Listed<Site>,
  more: Partial<Parameters<typeof poll<Site>>[0]> = {},
) {
  const clock = new VirtualClock();
  const start = clock.now();
  const received: string[] = [];
  const changes: ObjectChange<Site>[] = [];
  const errors: unknown[] = [];
  const listed: number[] = [];
  const poller: Poller<Site> = poll<Site>({
    name: "sites",
    interval: "10s",
    jitter: 0,
    clock,
    onError: (error) => void errors.push(error),
    onChange(change) {
      changes.push(change);
      received.push(`${change.type} ${change.object.metadata.name}${change.initial ? " initially" : ""}`);
    },
    ...more,
    list(signal) {
      listed.push((clock.now() - start) / 1000);
      return list(signal);
    },
  });
  return { clock, poller, received, changes, errors, listed };
}

describe("changes", () => {
  test("reports created, updated, status-updated and deleted objects", async () => {
    let rows = [site("a"), site("b"), site("c")];
    const { clock, poller, received, changes } = watching(() => Promise.resolve(rows));
    await poller.ready();
    expect(received.splice(0)).toEqual(["CREATED a initially", "CREATED b initially", "CREATED c initially"]);
    const before = poller.get("b");
    changes.length = 0;

    rows = [site("a"), site("b", "renamed", 5), site("d"), site("c", "c", 1)];
    await clock.advance(10_000);
    expect(received.splice(0)).toEqual(["UPDATED b", "CREATED d", "STATUS_UPDATED c"]);
    expect(changes[0]?.old).toBe(before);
    expect(changes[0]?.object).toBe(poller.get("b"));

    rows = rows.slice(1);
    await clock.advance(10_000);
    expect(received.splice(0)).toEqual(["DELETED a"]);
    expect(names(poller.list())).toEqual(["b", "c", "d"]);
    await poller.stop();
  });

  test("a higher generation is an update, whatever else changed", async () => {
    let row = site("a", "a", 0, { generation: 1 });
    const { poller, received } = watching(() => Promise.resolve([row]));
    await poller.refresh();
    row = site("a", "a", 7, { generation: 2 });
    await poller.refresh();
    row = site("a", "a", 8, { generation: 2 });
    await poller.refresh();
    expect(received).toEqual(["CREATED a initially", "UPDATED a", "STATUS_UPDATED a"]);
  });

  test("an unchanged generation hides no update", async () => {
    const same = { generation: 1 };
    let rows = [site("a", "a", 0, same), site("b", "b", 0, same)];
    const { clock, poller, received } = watching(() => rows);
    await poller.ready();
    received.length = 0;
    rows = [site("a", "renamed", 1, same), site("b", "b", 1, same)];
    await clock.advance(10_000);
    expect(received).toEqual(["UPDATED a", "STATUS_UPDATED b"]);
  });

  test("an object that was deleted and recreated between two lists is reported as DELETED, then CREATED", async () => {
    let row = site("a", "a", 0, { uid: "1" });
    const { poller, received } = watching(() => Promise.resolve([row]));
    await poller.refresh();
    row = site("a", "a", 0, { uid: "2" });
    await poller.refresh();
    expect(received).toEqual(["CREATED a initially", "DELETED a", "CREATED a"]);
  });

  test("an unchanged object keeps its identity and is frozen", async () => {
    const { poller, received } = watching(() => Promise.resolve([site("a")]));
    await poller.refresh();
    const first = poller.get("a");
    await poller.refresh();
    expect(poller.get("a")).toBe(first);
    expect(Object.isFrozen(first?.spec)).toBe(true);
    expect(received).toHaveLength(1);
    expect(poller.stats()).toMatchObject({ iterations: 2, changesDetected: 1, cacheHitRatio: 0.5 });
  });

  test("a new resourceVersion without another change is cached but not reported", async () => {
    let row = site("a", "a", 0, { resourceVersion: "1" });
    const { poller, received } = watching(() => Promise.resolve([row]));
    await poller.refresh();
    row = site("a", "a", 0, { resourceVersion: "2" });
    await poller.refresh();
    expect(received).toHaveLength(1);
    expect(poller.get("a")?.metadata.resourceVersion).toBe("2");
  });

  test("objects that `equal` considers equal are not reported", async () => {
    let row = site("a", "Title");
    const { poller, received } = watching(() => Promise.resolve([row]), {
      equal: (old, now) => old.spec?.title.toLowerCase() === now.spec?.title.toLowerCase(),
    });
    await poller.refresh();
    row = site("a", "TITLE");
    await poller.refresh();
    row = site("a", "other");
    await poller.refresh();
    expect(received).toEqual(["CREATED a initially", "UPDATED a"]);
  });

  test("after any history, the replayed changes equal the list", async () => {
    const row = fc.record({ name: fc.constantFrom("a", "b", "c", "d"), title: fc.nat(2), pages: fc.nat(2) });
    const lists = fc.array(fc.uniqueArray(row, { selector: ({ name }) => name }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(lists, async (lists) => {
        let rows: Site[] = [];
        const { poller, errors } = watching(() => Promise.resolve(rows));
        const followed = new Map<string, Site>();
        poller.subscribe(({ type, object, old }) => {
          const name = object.metadata.name ?? "";
          // Listeners may throw; that is among the errors.
          expect(followed.get(name)).toBe(old);
          if (type === "DELETED") followed.delete(name);
          else followed.set(name, object);
        });
        for (const list of lists) {
          rows = list.map(({ name, title, pages }) => site(name, String(title), pages));
          await poller.refresh();
          expect(new Set(followed.values())).toEqual(new Set(rows));
          expect(new Set(poller.list())).toEqual(new Set(rows));
        }
        expect(errors).toEqual([]);
        await poller.stop();
      }),
    );
  });
});

describe("lists", () => {
  test("an interval after the end of the last list, never concurrently", async () => {
    let atWork = 0;
    let most = 0;
    const { clock, poller, listed } = watching(async () => {
      most = Math.max(most, ++atWork);
      await sleep(clock, 15_000);
      atWork--;
      return [];
    });
    poller.start();
    await clock.advance(60_000);
    expect(listed).toEqual([0, 25, 50]);
    expect(most).toBe(1);
    expect(poller.stats()).toMatchObject({ iterations: 2, averageDuration: 15_000, lastDuration: 15_000 });
  });

  test("only after start(), subscribe() or ready()", async () => {
    const { clock, poller, listed } = watching(() => Promise.resolve([]));
    await clock.advance(60_000);
    expect(listed).toEqual([]);
    poller.subscribe(() => {});
    await clock.advance(10_000);
    expect(listed).toEqual([60, 70]);
  });

  test("later by a random share, so that pollers spread", async () => {
    const random: Random = { bytes: (length) => new Uint8Array(length).fill(128, 0, 1) };
    const { clock, poller, listed } = watching(() => Promise.resolve([]), { jitter: 0.2, random });
    poller.start();
    await clock.advance(25_000);
    expect(listed).toEqual([0, 11, 22]);
  });

  test("at once on refresh(), which restarts the interval", async () => {
    const { clock, poller, listed } = watching(() => Promise.resolve([]));
    poller.start();
    await clock.advance(4000);
    await poller.refresh();
    await clock.advance(10_000);
    expect(listed).toEqual([0, 4, 14]);
  });

  test("once more for all refresh() calls during a list", async () => {
    const { clock, poller, listed } = watching(() => sleep(clock, 3000).then(() => []));
    poller.start();
    await clock.advance(1000);
    const both = Promise.all([poller.refresh(), poller.refresh()]);
    await clock.advance(8000);
    await both;
    expect(listed).toEqual([0, 3]);
  });
});

describe("failures", () => {
  test("a failed list changes nothing, is reported, and is retried with growing intervals", async () => {
    let broken = false;
    const { clock, poller, received, errors, listed } = watching(
      () => (broken ? Promise.reject(new Error("down")) : Promise.resolve([site("a")])),
      { longestInterval: "30s" },
    );
    poller.start();
    await clock.advance(5000);
    broken = true;
    await clock.advance(120_000);
    expect(listed).toEqual([0, 10, 20, 40, 70, 100]);
    expect(errors).toHaveLength(5);
    expect(poller.stats()).toMatchObject({ errors: 5, consecutiveErrors: 5 });
    expect(names(poller.list())).toEqual(["a"]);

    broken = false;
    await clock.advance(25_000);
    expect(listed.slice(6)).toEqual([130, 140, 150]);
    expect(poller.stats().consecutiveErrors).toBe(0);
    expect(received).toEqual(["CREATED a initially"]);
  });

  test("a stream that breaks is a failed list: nothing is deleted", async () => {
    let broken = false;
    const { poller, received, errors } = watching(async function* () {
      yield site("a");
      if (broken) throw new Error("connection lost");
      yield site("b");
    });
    await poller.refresh();
    broken = true;
    await expect(poller.refresh()).rejects.toThrow("connection lost");
    expect(received).toEqual(["CREATED a initially", "CREATED b initially"]);
    expect(errors).toHaveLength(1);
  });

  test("a list that exceeds its timeout is aborted, and its late result is ignored", async () => {
    let answer: ((rows: Site[]) => void) | undefined;
    let signal: AbortSignal | undefined;
    const { clock, poller, errors, received } = watching(
      (given) => {
        if (answer !== undefined) return Promise.resolve([site("now")]);
        signal = given;
        return new Promise<Site[]>((resolve) => (answer = resolve));
      },
      { timeout: "5s" },
    );
    poller.start();
    await clock.advance(5000);
    expect(errors).toEqual([expect.any(TimeLimitError)]);
    expect(signal?.aborted).toBe(true);
    answer?.([site("late")]);
    await clock.advance(10_000);
    expect(received).toEqual(["CREATED now initially"]);
  });

  test("an error of a listener is reported, and the others are still called", async () => {
    const { poller, received, errors } = watching(() => Promise.resolve([site("a"), site("b")]));
    poller.subscribe(() => {
      throw new Error("mine");
    });
    await poller.ready();
    expect(received).toHaveLength(2);
    expect(errors).toHaveLength(2);
    expect(poller.stats().errors).toBe(0);
  });
});

describe("as a source", () => {
  test("ready waits for the first list; rejects when its signal aborts or the poller stops", async () => {
    const { clock, poller } = watching(() => sleep(clock, 3000).then(() => [site("a")]));
    const controller = new AbortController();
    const impatient = poller.ready(controller.signal);
    controller.abort(new Error("enough"));
    await expect(impatient).rejects.toThrow("enough");
    expect(poller.synced).toBe(false);
    await clock.advance(3000);
    await poller.ready();
    expect(poller.synced).toBe(true);

    const stopped = watching(() => new Promise(() => {})).poller;
    const never = stopped.ready();
    await stopped.stop();
    await expect(never).rejects.toThrow('poll "sites" was stopped');
    await expect(stopped.refresh()).rejects.toThrow("was stopped");
  });

  test("a later subscriber first receives the present objects, also during an update", async () => {
    let rows = [site("a")];
    const { poller } = watching(() => Promise.resolve(rows));
    await poller.refresh();
    const receivedLater: string[] = [];
    const first = poller.subscribe(({ object }) => {
      if (object.metadata.name !== "b") return;
      poller.subscribe(({ type, object, initial }) =>
        receivedLater.push(`${type} ${object.metadata.name} ${String(initial)}`),
      );
    });
    rows = [site("a"), site("b"), site("c")];
    await poller.refresh();
    expect(receivedLater).toEqual(["CREATED a true", "CREATED b true", "CREATED c false"]);
    first.release();
    rows = [];
    await poller.refresh();
    expect(receivedLater.slice(3)).toEqual(["DELETED a false", "DELETED b false", "DELETED c false"]);
  });

  test("finds objects by namespace, key and index", async () => {
    const rows = [
      site("a", "A", 0, { namespace: "one", labels: { tier: "x" } }),
      site("b", "B", 0, { namespace: "two", labels: { tier: "x" } }),
    ];
    const { poller } = watching(() => Promise.resolve(rows));
    poller.addIndex("title", (site) => [site.spec?.title ?? ""]);
    await poller.refresh();
    poller.addIndex("tier", byLabel("tier"));
    expect(names(poller.list("two"))).toEqual(["b"]);
    expect(poller.get("one/a")?.spec?.title).toBe("A");
    expect(names(poller.byIndex("tier", "x"))).toEqual(["a", "b"]);
    expect(names(poller.byIndex("title", "B"))).toEqual(["b"]);
    expect(poller.size).toBe(2);
    expect(() => poller.byIndex("size", "1")).toThrow(/no index is named "size"/);
    expect(() => poller.addIndex("tier", byLabel("other"))).toThrow(/another index is named "tier"/);
  });

  test("stop ends everything, also a list that ignores its signal", async () => {
    const { clock, poller, errors } = watching(() => new Promise(() => {}));
    poller.start();
    await clock.advance(1000);
    await poller.stop();
    expect(clock.timers).toBe(0);
    expect(errors).toEqual([]);
  });
});

describe("rows", () => {
  interface Row {
    readonly id: number;
    readonly text: string;
    readonly version: number;
  }
  const toObject = (row: Row): Site => {
    if (row.text === "bad") throw new Error("cannot read it");
    return site(`row-${row.id}`, row.text);
  };

  test("are converted only when their version changes", async () => {
    let rows: Row[] = [
      { id: 1, text: "one", version: 1 },
      { id: 2, text: "two", version: 1 },
    ];
    const made: number[] = [];
    const received: string[] = [];
    await using rowsAsSites = poll({
      name: "rows",
      interval: "10s",
      clock: new VirtualClock(),
      list: () => rows,
      key: (row) => String(row.id),
      version: (row) => row.version,
      toObject(row) {
        made.push(row.id);
        return toObject(row);
      },
      onChange: ({ type, object }) => void received.push(`${type} ${object.spec?.title}`),
    });
    await rowsAsSites.refresh();
    rows = [
      { id: 1, text: "one", version: 1 },
      { id: 2, text: "deux", version: 2 },
    ];
    await rowsAsSites.refresh();
    expect(made).toEqual([1, 2, 2]);
    expect(received).toEqual(["CREATED one", "CREATED two", "UPDATED deux"]);
  });

  test("that cannot be converted keep their last object, and are tried again", async () => {
    let text = "fine";
    const errors: string[] = [];
    await using source = poll({
      name: "rows",
      interval: "10s",
      clock: new VirtualClock(),
      list: () => [
        { id: 1, text, version: text.length },
        { id: 2, text: "other", version: 1 },
      ],
      key: (row) => String(row.id),
      version: (row) => row.version,
      toObject,
      onError: (error) => void errors.push((error as Error).message),
    });
    await source.refresh();
    text = "bad";
    await source.refresh();
    await source.refresh();
    expect(errors).toEqual(Array.from({ length: 2 }, () => '"1" cannot be converted to an object'));
    expect(source.get("row-1")?.spec?.title).toBe("fine");
    text = "better";
    await source.refresh();
    expect(source.get("row-1")?.spec?.title).toBe("better");
  });

  test("that cannot be converted fail the list if there is no key", async () => {
    let text = "fine";
    await using source = poll({
      name: "rows",
      interval: "10s",
      clock: new VirtualClock(),
      list: () => [{ id: 1, text, version: 1 }],
      toObject,
    });
    await source.refresh();
    text = "bad";
    await expect(source.refresh()).rejects.toThrow("cannot read it");
    expect(source.size).toBe(1);
  });

  test("rejects a version without a key, and an interval of 0", () => {
    const options = { name: "rows", interval: "10s" as const, list: (): Row[] => [], toObject };
    expect(() => poll({ ...options, version: (row: Row) => row.version })).toThrow(/no "key"/);
    expect(() => poll({ ...options, interval: 0 })).toThrow(/cannot list every 0s/);
  });
});

test("each poll is reported to onPoll and counted in the statistics", async () => {
  const reports: PollReport[] = [];
  let rows = [site("a"), site("b")];
  const { clock, poller } = watching(() => sleep(clock, 100).then(() => rows), {
    onPoll: (report) => void reports.push(report),
  });
  poller.subscribe(() => {});
  await clock.advance(5000);
  rows = [site("b"), site("c")];
  await clock.advance(10_000);
  const none = { CREATED: 0, UPDATED: 0, STATUS_UPDATED: 0, DELETED: 0 };
  expect(reports).toMatchObject([
    { name: "sites", duration: 100, listed: 2, unchanged: 0, changes: { ...none, CREATED: 2 } },
    { name: "sites", duration: 100, listed: 2, unchanged: 1, changes: { ...none, CREATED: 1, DELETED: 1 } },
  ]);
  expect(poller.stats()).toEqual({
    iterations: 2,
    changesDetected: 4,
    eventsPublished: { ...none, CREATED: 6, DELETED: 2 },
    cacheHitRatio: 0.25,
    averageDuration: 100,
    lastDuration: 100,
    errors: 0,
    consecutiveErrors: 0,
  });
});
