import { describe, expect, test } from "vitest";
import { kindOf, objectOf, runOf, writeOf } from "../../runs/fixtures/sample-run.js";
import type { Run, Trigger } from "../../runs/run.js";
import type { Finding } from "./finding.js";
import { HotLoops } from "./hot-loops.js";

const site = (version: number) => objectOf("Site", "hello", String(version));
const page = (version: number, name = "hello-1") => objectOf("Page", name, String(version));
const statusWrite = (version: number) =>
  writeOf({
    kind: kindOf("Site"),
    name: "hello",
    verb: "patch",
    subresource: "status",
    after: site(version),
  });
const pageWrite = (version: number, name = "hello-1") =>
  writeOf({ kind: kindOf("Page"), name, before: page(version - 1, name), after: page(version, name) });
const child = (version: number, text = "updated", name = "hello-1"): Trigger => ({
  type: "child",
  text,
  by: `Page default/${name}`,
  version: String(version),
  at: 0,
});

/** Runs one after another, half a second apart, and what is found. */
function findings(
  count: number,
  run: (index: number) => Partial<Run>,
  { pause = 500, changedBy }: { pause?: number; changedBy?: (object: string) => string | undefined } = {},
): readonly Finding[] {
  const loops = new HotLoops();
  return Array.from({ length: count }, (_, index) =>
    loops.add(runOf(run(index)), index * pause, changedBy),
  ).flat();
}

describe("a hot loop", () => {
  test("of runs that write their own status", () => {
    const found = findings(11, (index) => ({
      triggers: [{ type: index === 0 ? "created" : "status", version: String(index), at: 0 }],
      writes: [statusWrite(index + 1)],
    }));
    expect(found).toEqual([
      {
        type: "hot-loop",
        controller: "sites.demo.dev",
        object: "Site default/hello",
        message: "Site default/hello is in a hot loop: 10 runs in 4.5s, kept going by its own status writes",
        count: 10,
        since: 500,
        at: 5000,
        causes: ["its own status writes"],
      },
    ]);
  });

  test("of runs that write a child anew each time", () => {
    const found = findings(11, (index) => ({ triggers: [child(index)], writes: [pageWrite(index + 1)] }));
    expect(found[0]?.causes).toEqual(["its own writes of Page default/hello-1"]);
  });

  test("of runs that change back what somebody else changes", () => {
    const found = findings(
      10,
      (index) => ({ triggers: [child(2 * index)], writes: [pageWrite(2 * index + 1)] }),
      { changedBy: (object) => (object === "Page default/hello-1" ? "kubectl-edit" : undefined) },
    );
    expect(found[0]?.causes).toEqual([
      "Page default/hello-1, which is changed and changed back (last by kubectl-edit)",
    ]);
  });

  test("of runs that write their own spec, although its generation grows", () => {
    const found = findings(11, (index) => ({
      generation: index,
      triggers: [{ type: "updated", version: String(index), at: 0 }],
      writes: [writeOf({ kind: kindOf("Site"), name: "hello", verb: "update", after: site(index + 1) })],
    }));
    expect(found[0]?.causes).toEqual(["its own writes"]);
  });

  test("of runs that ask to be run again at once", () => {
    const found = findings(10, () => ({ triggers: [{ type: "requeue", at: 0, due: 10 }] }));
    expect(found[0]?.causes).toEqual(["asking to be run again after 10ms"]);
  });

  test("of runs that make children under new names", () => {
    const found = findings(10, (index) => ({
      triggers: [child(index, "created", `hello-${index}`)],
      writes: [
        writeOf({
          kind: kindOf("Page"),
          name: `hello-${index + 1}`,
          after: page(index, `hello-${index + 1}`),
        }),
        writeOf({ kind: kindOf("Page"), name: `hello-${index}`, verb: "delete" }),
      ],
    }));
    expect(found[0]?.causes).toEqual(["children of kind Page that are made and deleted in every run"]);
  });
});

/** What is found in runs of several controllers, each of which ends 10 ms after it began, one after another. */
function findingsOf(runs: readonly Partial<Run>[], startedAt = 1000): readonly Finding[] {
  const loops = new HotLoops();
  return runs.flatMap((run, index) => {
    const start = startedAt + index * 20;
    return loops.add(runOf({ startedAt: start, duration: 10, ...run }), start + 10);
  });
}

const changed = (version: string | number): Trigger => ({ type: "updated", version: String(version), at: 0 });
const siteWrite = (version: string | number) =>
  writeOf({
    kind: kindOf("Site"),
    name: "hello",
    verb: "patch",
    after: objectOf("Site", "hello", String(version)),
  });
const pages = { controller: "pages.demo.dev", kind: "Page", key: "default/hello-1" };

/** A site writes its page, for which the page writes the site, and so on. */
function toAndFro(rounds: number, of: (round: number) => { readonly by?: readonly Trigger[] } = () => ({})) {
  return Array.from({ length: rounds }, (_, round): readonly Partial<Run>[] => [
    { triggers: [changed(`s${round}`), ...(of(round).by ?? [])], writes: [pageWrite(round)] },
    { ...pages, triggers: [changed(round)], writes: [siteWrite(`s${round + 1}`)] },
  ]).flat();
}

describe("a hot loop by way of others", () => {
  test("of objects whose controllers answer each other", () => {
    const found = findingsOf(toAndFro(16));
    expect(found.map(({ object, causes, count }) => [object, count, causes])).toEqual([
      ["Site default/hello", 10, ["its own writes, answered by pages.demo.dev for Page default/hello-1"]],
      ["Page default/hello-1", 10, ["its own writes, answered by sites.demo.dev for Site default/hello"]],
    ]);
  });

  test("of controllers for the same object, although its generation grows", () => {
    const found = findingsOf(
      Array.from({ length: 32 }, (_, index) => ({
        controller: index % 2 === 0 ? "one" : "two",
        generation: index,
        triggers: [changed(index)],
        writes: [siteWrite(index + 1)],
      })),
    );
    expect(found.map(({ controller, causes }) => [controller, causes])).toEqual([
      ["one", ["its own writes, answered by two"]],
      ["two", ["its own writes, answered by one"]],
    ]);
  });

  test("is found too when the answer comes before the run that it answers has ended", () => {
    const [first = {}, ...rest] = toAndFro(17);
    const late = rest.flatMap((run, index) => (index % 2 === 1 ? [run, rest[index - 1] ?? {}] : []));
    const found = findingsOf([first, ...late]);
    expect(found.map(({ object }) => object)).toEqual(["Page default/hello-1", "Site default/hello"]);
  });

  test.each<[string, readonly Partial<Run>[]]>([
    ["is coming to rest after some rounds", toAndFro(9)],
    [
      "is somebody who changes one of the objects again and again",
      toAndFro(50, (round) => ({ by: [changed(`theirs ${round}`)] })),
    ],
    [
      "is somebody who asks for it again and again",
      toAndFro(50, (round) => ({ by: [{ type: "manual", text: `time ${round}`, at: 0 }] })),
    ],
    [
      "is somebody's change that is answered at once by writing what is there already",
      Array.from({ length: 50 }, (_, round): readonly Partial<Run>[] => [
        { ...pages, triggers: [changed(round)], writes: [siteWrite(`s${round}`)] },
        {
          triggers: [changed(`s${round}`)],
          writes: [writeOf({ kind: kindOf("Page"), name: "hello-1", after: page(round) })],
        },
      ]).flat(),
    ],
    [
      "is somebody's change that is answered too late by writing what is there already",
      Array.from({ length: 50 }, (_, round): readonly Partial<Run>[] => [
        { ...pages, triggers: [changed(round)], writes: [siteWrite(`s${round}`)] },
        {
          triggers: [changed(`s${round}`)],
          // By now there is the next version, which it is answered with.
          writes: [writeOf({ kind: kindOf("Page"), name: "hello-1", after: page(round + 1), at: 1 })],
        },
      ]).flat(),
    ],
    [
      "are children that get ready one after another",
      Array.from({ length: 50 }, (_, round): readonly Partial<Run>[] => [
        {
          triggers: [child(2 * round - 1, "updated", `hello-${round - 1}`)],
          writes: [pageWrite(2 * round, `hello-${round}`)],
        },
        {
          ...pages,
          key: `default/hello-${round}`,
          triggers: [changed(2 * round)],
          writes: [pageWrite(2 * round + 1, `hello-${round}`)],
        },
      ]).flat(),
    ],
  ])("%s is none", (_, runs) => {
    expect(findingsOf(runs)).toEqual([]);
  });
});

describe("a run that is asked for while the one before is under way", () => {
  const asked = (at: number, text = "me"): Trigger => ({ type: "manual", text, at });
  /** Runs that begin every 20 ms and take 10; each was asked for a while after the one before had begun. */
  const runs = (count: number, of: (index: number) => readonly Trigger[]) =>
    Array.from({ length: count }, (_, index) => ({ triggers: of(index) }));
  const before = (index: number): number => 1000 + (index - 1) * 20;

  test("is a hot loop when all are, in the same way", () => {
    const found = findingsOf(runs(21, (index) => [asked(before(index) + 9)]));
    expect(found.map(({ causes, count }) => [count, causes])).toEqual([
      [20, ["being asked for again in every run (me)"]],
    ]);
  });

  test("is a hot loop with a delay that is next to none", () => {
    const soon = (at: number): Trigger => ({ ...asked(at), due: at + 5 });
    expect(findingsOf(runs(21, (index) => [soon(before(index) + 4)]))).toHaveLength(1);
  });

  test.each<[string, (index: number) => readonly Trigger[]]>([
    ["at any time", (index) => [asked(before(index) + ((index * 7) % 11))]],
    ["by as many as there happen to be", (index) => Array(1 + (index % 3)).fill(asked(before(index) + 9))],
    ["for another reason each time", (index) => [asked(before(index) + 9, `order ${index}`)]],
    ["now and then", (index) => (index % 5 === 0 ? [] : [asked(before(index) + 9)])],
    ["and by others afterwards", (index) => [asked(before(index) + 9), asked(before(index) + 15)]],
    ["for later", (index) => [{ ...asked(before(index) + 9), due: before(index) + 1000 }]],
  ])("is none when it is %s", (_, of) => {
    expect(findingsOf(runs(100, of))).toEqual([]);
  });
});

describe("a fight over the object itself", () => {
  const titled = (version: number, title: string, manager: string) => {
    const object = objectOf("Site", "hello", String(version), { spec: { title } });
    const managedFields = [{ manager, operation: "Update", fieldsV1: { "f:spec": { "f:title": {} } } }];
    return { ...object, metadata: { ...object.metadata, managedFields } } as typeof object;
  };
  const setBack = (round: number, theirs: string): Partial<Run> => ({
    generation: 2 * round,
    triggers: [changed(2 * round)],
    writes: [
      writeOf({
        kind: kindOf("Site"),
        name: "hello",
        verb: "patch",
        before: titled(2 * round, theirs, "kubectl-edit"),
        after: titled(2 * round + 1, "ours", "sites"),
      }),
    ],
  });

  test("is told of when the object is run often", () => {
    const found = findingsOf(Array.from({ length: 10 }, (_, round) => setBack(round, "theirs")));
    expect(found).toMatchObject([
      {
        type: "fight",
        object: "Site default/hello",
        paths: ["spec.title"],
        managers: ["kubectl-edit", "sites"],
      },
    ]);
    expect(found[0]?.message).toMatch(/: kubectl-edit and sites fight over spec\.title \(5 times in 80ms\)$/);
  });

  test("is not told of when it was settled before", () => {
    expect(findingsOf(Array.from({ length: 9 }, (_, round) => setBack(round, "theirs")))).toEqual([]);
  });

  test("is none with somebody who wants something else each time", () => {
    expect(findingsOf(Array.from({ length: 50 }, (_, round) => setBack(round, `theirs ${round}`)))).toEqual(
      [],
    );
  });
});

describe("no hot loop", () => {
  test.each<[string, (index: number) => Partial<Run>, number?]>([
    [
      "is somebody who changes the spec often",
      (index) => ({
        generation: Math.floor(index / 2),
        triggers: index % 2 === 0 ? [{ type: "updated", version: `u${index}`, at: 0 }] : [child(index - 1)],
        writes: index % 2 === 0 ? [pageWrite(index)] : [],
      }),
    ],
    [
      "is the sight of what an earlier run wrote for somebody",
      (index) => ({
        triggers: [{ type: "updated", version: index % 2 === 0 ? `theirs ${index}` : String(index), at: 0 }],
        writes: index % 2 === 0 ? [siteWrite(index + 1)] : [],
      }),
    ],
    [
      "are children that are made one after another",
      (index) => ({
        triggers: [child(index, "created", `hello-${index}`)],
        writes: [
          writeOf({
            kind: kindOf("Page"),
            name: `hello-${index + 1}`,
            after: page(index + 1, `hello-${index + 1}`),
          }),
        ],
      }),
    ],
    [
      "are children whose progress is reported",
      (index) => ({ triggers: [child(100 + index, "status")], writes: [statusWrite(index)] }),
    ],
    [
      "are failures that are tried again",
      () => ({ triggers: [{ type: "retry", at: 0, due: 5 }], failures: 3 }),
    ],
    ["is looking again every second", () => ({ triggers: [{ type: "requeue", at: 0, due: 1000 }] })],
    [
      "is somebody who asks for it",
      () => ({ triggers: [{ type: "manual", at: 0 }], writes: [statusWrite(1)] }),
    ],
    [
      "are the same writes over a longer time",
      (index) => ({ triggers: [child(index)], writes: [pageWrite(index + 1)] }),
      60_000,
    ],
  ])("%s", (_, run, pause) => {
    expect(findings(50, run, pause === undefined ? {} : { pause })).toEqual([]);
  });
});
