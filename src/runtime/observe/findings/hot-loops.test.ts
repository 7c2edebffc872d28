import { describe, expect, test } from "vitest";
import { kindOf, objectOf, runOf, writeOf } from "../../runs/fixtures/sample-run.js";
import type { Run, Trigger, WriteRecord } from "../../runs/run.js";
import type { Finding } from "./finding.js";
import { HotLoops } from "./hot-loops.js";

const updated = (version: string | number): Trigger => ({ type: "updated", version: String(version), at: 0 });
const child = (version: string | number, name = "hello-1", text = "updated"): Trigger => ({
  type: "child",
  text,
  by: `Page default/${name}`,
  version: String(version),
  at: 0,
});
const write = (
  kind: string,
  name: string,
  version: string | number,
  more?: Partial<WriteRecord>,
): WriteRecord =>
  writeOf({ kind: kindOf(kind), name, after: objectOf(kind, name, String(version)), ...more });
const siteWrite = (version: string | number): WriteRecord => write("Site", "hello", version);
const pageWrite = (version: string | number, name = "hello-1"): WriteRecord => write("Page", name, version);
const pages = { controller: "pages.demo.dev", kind: "Page", key: "default/hello-1" };

/** Findings in runs that begin every `pause` milliseconds and take 10. */
function findings(runs: readonly Partial<Run>[], pause = 20): readonly Finding[] {
  const loops = new HotLoops();
  return runs.flatMap((run, index) =>
    loops.add(runOf({ startedAt: 1000 + index * pause, duration: 10, ...run })),
  );
}

function repeat(count: number, run: (index: number) => Partial<Run> | readonly Partial<Run>[]) {
  return Array.from({ length: count }, (_, index) => run(index)).flat();
}

describe("reports a hot loop when a run triggers the next one", () => {
  test("by writing its own status, with the number of runs and the cause", () => {
    const statusWrite = (version: number): WriteRecord =>
      write("Site", "hello", version, { verb: "patch", subresource: "status" });
    const runs = repeat(11, (index) => ({
      triggers: [{ type: index === 0 ? "created" : "status", version: String(index), at: 0 }],
      writes: [statusWrite(index + 1)],
    }));
    expect(findings(runs, 500)).toEqual([
      {
        type: "hot-loop",
        controller: "sites.demo.dev",
        object: "Site default/hello",
        message: "Site default/hello is in a hot loop: 10 runs in 4.5s, kept going by its own status writes",
        count: 10,
        since: 1510,
        at: 6010,
        causes: ["its own status writes"],
      },
    ]);
  });

  test.each<[string, (index: number) => Partial<Run>, string]>([
    [
      "by writing its own spec, although the generation grows",
      (index) => ({ generation: index, triggers: [updated(index)], writes: [siteWrite(index + 1)] }),
      "its own writes",
    ],
    [
      "by writing a child",
      (index) => ({ triggers: [child(index)], writes: [pageWrite(index + 1)] }),
      "its own writes of Page default/hello-1",
    ],
    [
      "by requeueing itself at once",
      () => ({ triggers: [{ type: "requeue", at: 0, due: 10 }] }),
      "requeueing itself at once",
    ],
  ])("%s", (_, run, cause) => {
    expect(findings(repeat(11, run)).map(({ causes, count }) => [count, causes])).toEqual([[10, [cause]]]);
  });

  test("again after another ten runs", () => {
    const runs = repeat(21, (index) => ({ triggers: [updated(index)], writes: [siteWrite(index + 1)] }));
    expect(findings(runs)).toHaveLength(2);
  });
});

describe("loops between controllers", () => {
  /** The site writes its page, for which the page writes the site. */
  const toAndFro = (rounds: number, more: (round: number) => readonly Trigger[] = () => []) =>
    repeat(rounds, (round) => [
      { triggers: [updated(`s${round}`), ...more(round)], writes: [pageWrite(round)] },
      { ...pages, triggers: [updated(round)], writes: [siteWrite(`s${round + 1}`)] },
    ]);

  test("are reported for both objects", () => {
    expect(findings(toAndFro(16)).map(({ object, causes, count }) => [object, count, causes])).toEqual([
      ["Site default/hello", 10, ["its own writes, answered by pages.demo.dev for Page default/hello-1"]],
      ["Page default/hello-1", 10, ["its own writes, answered by sites.demo.dev for Site default/hello"]],
    ]);
  });

  test("are reported when two controllers write the same object, although its generation grows", () => {
    const runs = repeat(32, (index) => ({
      controller: index % 2 === 0 ? "one" : "two",
      generation: index,
      triggers: [updated(index)],
      writes: [siteWrite(index + 1)],
    }));
    expect(findings(runs).map(({ controller, causes }) => [controller, causes])).toEqual([
      ["one", ["its own writes, answered by two"]],
      ["two", ["its own writes, answered by one"]],
    ]);
  });

  test("are reported when a run ends after the one that it triggered", () => {
    // Each page run starts during the site run that wrote the page, and ends first.
    const timed = toAndFro(17).map((run, index): Partial<Run> => {
      const isSite = index % 2 === 0;
      return Object.assign(run, { startedAt: 1000 + index * 20, duration: isSite ? 30 : 5 });
    });
    const inOrderOfEnd = timed.flatMap((run, index) =>
      index % 2 === 1 ? [run, timed[index - 1] ?? {}] : [],
    );
    const objects = findings(inOrderOfEnd).map(({ object }) => object);
    expect(new Set(objects)).toEqual(new Set(["Page default/hello-1", "Site default/hello"]));
  });

  test.each<[string, readonly Partial<Run>[]]>([
    ["they end after nine rounds", toAndFro(9)],
    ["a person changes one of the objects each time", toAndFro(50, (round) => [updated(`theirs ${round}`)])],
    ["a person enqueues one of the objects each time", toAndFro(50, () => [{ type: "manual", at: 0 }])],
    [
      "a run answers a person's change with a write that has no effect",
      repeat(50, (round) => [
        { ...pages, triggers: [updated(round)], writes: [siteWrite(`s${round}`)] },
        { triggers: [updated(`s${round}`)], writes: [pageWrite(round)] },
      ]),
    ],
    [
      "a write without effect returns the version of a person's next change",
      repeat(50, (round) => [
        { ...pages, triggers: [updated(round)], writes: [siteWrite(`s${round}`)] },
        {
          triggers: [updated(`s${round}`)],
          writes: [write("Page", "hello-1", round + 1, { at: 1 })],
        },
      ]),
    ],
    [
      "children become ready one after another",
      repeat(50, (round) => [
        {
          triggers: [child(2 * round - 1, `hello-${round - 1}`)],
          writes: [pageWrite(2 * round, `hello-${round}`)],
        },
        {
          ...pages,
          key: `default/hello-${round}`,
          triggers: [updated(2 * round)],
          writes: [pageWrite(2 * round + 1, `hello-${round}`)],
        },
      ]),
    ],
  ])("are not reported when %s", (_, runs) => {
    expect(findings(runs)).toEqual([]);
  });
});

describe("enqueueing during a run", () => {
  const enqueued = (at: number, text = "me"): Trigger => ({ type: "manual", text, at });
  /** Start of the run before; a run takes 10 ms. */
  const before = (index: number): number => 1000 + (index - 1) * 20;

  test("is reported as a hot loop after twenty runs in a row, for the same reason", () => {
    const runs = repeat(21, (index) => ({ triggers: [enqueued(before(index) + 9)] }));
    expect(findings(runs).map(({ causes, count }) => [count, causes])).toEqual([
      [20, ["being enqueued during each run (me)"]],
    ]);
  });

  test.each<[string, (index: number) => readonly Trigger[]]>([
    ["the reason differs", (index) => [enqueued(before(index) + 9, `order ${index}`)]],
    ["some runs are not enqueued", (index) => (index % 5 === 0 ? [] : [enqueued(before(index) + 9)])],
    [
      "others enqueue it between runs",
      (index) => [enqueued(before(index) + 9), enqueued(before(index) + 15)],
    ],
    ["it is for later", (index) => [{ ...enqueued(before(index) + 9), due: before(index) + 1000 }]],
  ])("is not reported when %s", (_, triggers) => {
    expect(findings(repeat(100, (index) => ({ triggers: triggers(index) })))).toEqual([]);
  });
});

describe("reports no hot loop", () => {
  test.each<[string, (index: number) => Partial<Run>, number?]>([
    [
      "for a person who changes the spec often",
      (index) => ({
        triggers: [index % 2 === 0 ? updated(`theirs ${index}`) : child(index - 1)],
        writes: index % 2 === 0 ? [pageWrite(index)] : [],
      }),
    ],
    [
      "for children that are created one after another",
      (index) => ({
        triggers: [child(index, `hello-${index}`, "created")],
        writes: [pageWrite(index + 1, `hello-${index + 1}`)],
      }),
    ],
    [
      "for children whose progress is written to the status",
      (index) => ({ triggers: [child(100 + index, "hello-1", "status")], writes: [siteWrite(index)] }),
    ],
    ["for retries", () => ({ triggers: [{ type: "retry", at: 0, due: 5 }], failures: 3 })],
    ["for a requeue every second", () => ({ triggers: [{ type: "requeue", at: 0, due: 1000 }] })],
    [
      "for a person who enqueues it",
      () => ({ triggers: [{ type: "manual", at: 0 }], writes: [siteWrite(1)] }),
    ],
    [
      "for the same writes over a longer time",
      (index) => ({ triggers: [child(index)], writes: [pageWrite(index + 1)] }),
      60_000,
    ],
  ])("%s", (_, run, pause) => {
    expect(findings(repeat(50, run), pause)).toEqual([]);
  });
});
