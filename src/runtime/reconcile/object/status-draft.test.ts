import { expect, test } from "vitest";
import { VirtualClock } from "../../../model/core.js";
import { StatusDraft, type StatusFields } from "./status-draft.js";

const clock = new VirtualClock("2026-01-01T00:00:00Z");

function merge(
  draft: StatusDraft,
  current: StatusFields | undefined,
  generation: number | undefined,
  at: VirtualClock,
): StatusFields {
  return draft.mergeInto(current, { generation, observedGeneration: generation, clock: at });
}

test("lays what was reported over what is there, and leaves the rest", () => {
  const draft = new StatusDraft();
  draft.report({ published: 2, url: null, size: undefined });
  draft.report({ published: 3 });
  expect(merge(draft, { published: 1, url: "x", theirs: true, size: 9 }, 7, clock)).toEqual({
    published: 3,
    theirs: true,
    size: 9,
    observedGeneration: 7,
  });
});

test("conditions carry the generation, and keep their time while their status stays", () => {
  const draft = new StatusDraft();
  draft.condition({ type: "Ready", status: "True", reason: "Published" });
  const first = merge(draft, undefined, 1, clock);
  expect(first.conditions).toEqual([
    {
      type: "Ready",
      status: "True",
      reason: "Published",
      message: "",
      observedGeneration: 1,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ]);
  const later = new VirtualClock("2026-01-02T00:00:00Z");
  expect(merge(draft, first, 1, later)).toEqual(first);
  expect(merge(draft, first, 2, later).conditions).toMatchObject([
    { observedGeneration: 2, lastTransitionTime: "2026-01-01T00:00:00Z" },
  ]);
  draft.condition({ type: "Ready", status: "False", reason: "Broken" });
  expect(merge(draft, first, 2, later).conditions).toMatchObject([
    { status: "False", lastTransitionTime: "2026-01-02T00:00:00Z" },
  ]);
});

test("of two words about one condition the last counts", () => {
  const draft = new StatusDraft();
  const theirs = {
    type: "Theirs",
    status: "True",
    reason: "X",
    message: "",
    lastTransitionTime: "t",
  } as const;
  const stalled = { ...theirs, type: "Stalled" };
  const before: StatusFields = { conditions: [theirs, stalled] };
  draft.condition({ type: "Stalled", status: "True", reason: "Y" });
  draft.removeCondition("Stalled");
  expect(merge(draft, before, undefined, clock)).toEqual({ conditions: [theirs] });
  draft.condition({ type: "Stalled", status: "False", reason: "Z" });
  expect(merge(draft, before, undefined, clock).conditions).toMatchObject([theirs, { reason: "Z" }]);
});

test("knows whether anything was said", () => {
  const draft = new StatusDraft();
  draft.report({});
  expect(draft.isEmpty).toBe(true);
  draft.report({ published: 1 });
  expect(draft.isEmpty).toBe(false);
});

test("the runtime's own fields cannot be reported", () => {
  const draft = new StatusDraft();
  expect(() => draft.report({ conditions: [] })).toThrow("report cannot set conditions: use condition()");
  expect(() => draft.report({ observedGeneration: 1 })).toThrow("leave observedGeneration to the runtime");
});

test("a phase starts from the one in the status, and may move on within a run", () => {
  const rules = { initial: "A", transitions: { A: ["B"], B: ["C"], C: [] } };
  const draft = new StatusDraft();
  draft.phase(rules, undefined, "B");
  draft.phase(rules, undefined, "C");
  expect(merge(draft, {}, undefined, clock)).toEqual({ phase: "C" });
  expect(() => draft.phase(rules, undefined, "A")).toThrow("C cannot become A: it is final");
  expect(() => new StatusDraft().phase(rules, "C", "B")).toThrow("C cannot become B");
});

test("a phase that was written during the run is not mistaken for that of another writer", () => {
  const rules = { initial: "A", transitions: { A: ["B"], B: ["C"], C: ["D"], D: [] } };
  const draft = new StatusDraft();
  draft.phase(rules, "A", "B");
  expect(merge(draft, { phase: "A" }, undefined, clock)).toEqual({ phase: "B" });
  draft.markWritten();
  draft.phase(rules, "A", "C");
  draft.phase(rules, "A", "D");
  expect(merge(draft, { phase: "B" }, undefined, clock)).toEqual({ phase: "D" });
  expect(() => merge(draft, { phase: "A" }, undefined, clock)).toThrow("another writer has changed it to A");
});
