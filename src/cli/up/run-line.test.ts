import { expect, test } from "vitest";
import { kindOf, objectOf, runOf, writeOf } from "../../runtime/runs/fixtures/sample-run.js";
import { RunLines } from "./run-line.js";

const page = (name: string) => writeOf({ kind: kindOf("Page"), name, verb: "apply", before: undefined });
/** Removes the time of day, which depends on the time zone. */
const withoutTime = (line: string | undefined): string | undefined => line?.replace(/^\d\d:\d\d:\d\d /, "");

test("prints a line for a run that did something", () => {
  const lines = new RunLines(false);
  const status = writeOf({
    kind: kindOf("Site"),
    name: "hello",
    verb: "patch",
    subresource: "status",
    before: objectOf("Site", "hello", "1"),
    after: objectOf("Site", "hello", "2", {
      status: { conditions: [{ type: "Ready", status: "True", reason: "Published" }] },
    }),
  });
  const line = lines.line(
    runOf({
      writes: [page("a"), page("b"), writeOf({ kind: kindOf("Page"), name: "c", verb: "delete" }), status],
      steps: [
        { name: "look", startedAt: 0, duration: 0, attempts: 0, outcome: "skipped" },
        { name: "publish", startedAt: 0, duration: 8, attempts: 1, outcome: "done" },
      ],
      outcome: { type: "requeue", after: 43_200_000, reason: "check the certificate" },
    }),
  );
  expect(withoutTime(line)).toBe(
    "✓ Site default/hello  created Page a, b · deleted Page c · publish · ready: Published · next run in 12h: check the certificate",
  );
});

test("counts the objects of many writes, and omits writes that changed nothing", () => {
  const lines = new RunLines(false);
  const many = runOf({ writes: ["a", "b", "c", "d", "e"].map((name) => page(name)) });
  expect(withoutTime(lines.line(many))).toBe("✓ Site default/hello  created 5 Page objects");
  const same = objectOf("Page", "a", "7");
  const idle = writeOf({ kind: kindOf("Page"), name: "a", before: same, after: same });
  expect(lines.line(runOf({ writes: [idle] }))).toBeUndefined();
  // The changes of this write are unknown, but there was one.
  const patched = writeOf({ kind: kindOf("Page"), name: "a", verb: "patch", after: same, sent: {} });
  expect(withoutTime(lines.line(runOf({ writes: [patched] })))).toBe("✓ Site default/hello  changed Page a");
});

test("omits runs without effects, prints failures 1, 2, 4 and 8, and waiting once", () => {
  const lines = new RunLines(false);
  expect(lines.line(runOf())).toBeUndefined();
  const failed = Array.from({ length: 9 }, (_, failures) =>
    lines.line(runOf({ failures, outcome: { type: "error", reason: "Error", message: "no luck" } })),
  );
  expect(failed.flatMap((line, index) => (line === undefined ? [] : [index + 1]))).toEqual([1, 2, 4, 8]);
  expect(withoutTime(failed[7])).toBe(
    "✗ Site default/hello  failed: Error: no luck, 8 times in a row; retrying",
  );
  const wait = runOf({ failures: 2, outcome: { type: "wait", reason: "NoDns", message: "not there yet" } });
  expect(withoutTime(lines.line(wait))).toBe("… Site default/hello  waiting: NoDns: not there yet");
  expect(lines.line(wait)).toBeUndefined();
  const repeats = (reason: string, message: string): boolean =>
    lines.hasOutcome("Site default/hello", { reason, message });
  expect(repeats("NoDns", "not there yet")).toBe(true);
  expect(repeats("Error", "no luck")).toBe(true);
  expect(repeats("Greeted", "hello")).toBe(false);
});

test("prints the failure with which an object is given up in one line", () => {
  const lines = new RunLines(false);
  const error = { type: "error", reason: "Error", message: "no luck" } as const;
  expect(withoutTime(lines.line(runOf({ failures: 2, givenUp: true, outcome: error })))).toBe(
    "✗ Site default/hello  failed: Error: no luck, 3 times in a row; given up until something changes",
  );
  const event = { reason: "GivenUp", message: "not tried again after failing 3 times: Error: no luck" };
  expect(lines.hasOutcome("Site default/hello", event)).toBe(true);
  expect(lines.hasOutcome("Site default/other", event)).toBe(false);
});

test("escapes control characters in names and messages", () => {
  const line = new RunLines(false).line(
    runOf({ outcome: { type: "fail", reason: "Bad", message: "\u001B[2Jgone" } }),
  );
  expect(line).not.toContain("\u001B");
});
