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
  ).flatMap((found) => found ?? []);
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
    const found = findings(10, () => ({ triggers: [{ type: "again", at: 0, due: 10 }] }));
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
    ["is looking again every second", () => ({ triggers: [{ type: "again", at: 0, due: 1000 }] })],
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
