import { expect, test } from "vitest";
import { batched, immediate, scheduled } from "../queue/strategy.js";
import { chooseByAnnotations, type StrategyCondition } from "./annotation-strategy.js";

const batches = batched({ size: 10, timeout: "30s" });
const nights = scheduled({ isOpen: () => false, nextOpening: () => Infinity });

/** Rules of the document. */
const rules = [
  { conditions: [{ priority: "critical" }, { type: "security_update" }], strategy: immediate },
  { conditions: [{ priority: "normal" }, { type: "configuration_update" }], strategy: batches },
  { conditions: [{ priority: "low" }, { type: "optimization" }], strategy: nights },
] as const;

interface Given {
  readonly priority?: string;
  readonly change?: string;
  readonly deleted?: boolean;
  readonly trigger?: string;
}

function chosen({ priority, change, deleted, trigger = "UPDATED" }: Given, of = chooseByAnnotations(rules)) {
  const annotations: Record<string, string> = {
    ...(priority !== undefined && { "fettle.dev/priority": priority }),
    ...(change !== undefined && { "fettle.dev/change-type": change }),
  };
  const deletionTimestamp = deleted === true ? "2026-01-01T00:00:00Z" : undefined;
  const metadata = { name: "a", annotations, ...(deletionTimestamp && { deletionTimestamp }) };
  const object = { apiVersion: "demo.dev/v1", kind: "Site", metadata };
  return of({ key: "default/a", priority: 0, type: trigger, object }).type;
}

test.each<[Given, string]>([
  [{ priority: "critical" }, "immediate"],
  [{ priority: "high" }, "immediate"],
  [{ priority: "normal" }, "batched"],
  [{ priority: "low" }, "scheduled"],
  [{ priority: "100" }, "immediate"],
  [{ priority: "7" }, "batched"],
  [{ priority: "-1" }, "scheduled"],
  [{ change: "security_update" }, "immediate"],
  [{ change: "configuration_update" }, "batched"],
  [{ change: "optimization" }, "scheduled"],
  // Alternatives, in the order of the list.
  [{ priority: "low", change: "security_update" }, "immediate"],
  [{ priority: "normal", change: "optimization" }, "batched"],
  // Without a priority an object is normal, unless its type has a rule.
  [{}, "batched"],
  [{ change: "unheard-of" }, "batched"],
  [{ priority: "" }, "batched"],
  // Deletions and requests by people do not wait.
  [{ priority: "low", deleted: true }, "immediate"],
  [{ priority: "low", trigger: "MANUAL" }, "immediate"],
])("%j is %s", (given, expected) => {
  expect(chosen(given)).toBe(expected);
});

test("a deletion waits if a condition names it", () => {
  const choose = (...conditions: readonly StrategyCondition[]) =>
    chooseByAnnotations([{ conditions, strategy: nights }]);
  expect(chosen({ deleted: true }, choose({ type: "deletion" }))).toBe("scheduled");
  const lowOnly = choose({ type: "deletion", priority: "low" });
  expect(chosen({ deleted: true, priority: "low" }, lowOnly)).toBe("scheduled");
  expect(chosen({ deleted: true }, lowOnly)).toBe("immediate");
  expect(chosen({ change: "deletion" }, lowOnly)).toBe("immediate");
});

test("all of one condition has to hold, and a number has to be reached", () => {
  const both = chooseByAnnotations([{ conditions: [{ priority: 50, type: "rollout" }], strategy: batches }]);
  expect(chosen({ priority: "50", change: "rollout" }, both)).toBe("batched");
  expect(chosen({ priority: "critical", change: "rollout" }, both)).toBe("batched");
  expect(chosen({ priority: "49", change: "rollout" }, both)).toBe("immediate");
  expect(chosen({ priority: "50" }, both)).toBe("immediate");
});

test("a rule without conditions takes what others leave, one with none nothing", () => {
  const rest = chooseByAnnotations([
    { strategy: batches },
    { conditions: [{ priority: "low" }], strategy: nights },
  ]);
  expect(chosen({ priority: "low" }, rest)).toBe("scheduled");
  expect(chosen({ priority: "critical" }, rest)).toBe("batched");
  expect(chosen({ deleted: true }, rest)).toBe("immediate");
  expect(chosen({}, chooseByAnnotations([{ conditions: [], strategy: batches }]))).toBe("immediate");
});

test("an object that is gone is not held", () => {
  expect(chooseByAnnotations(rules)({ key: "a", priority: 0, type: "DELETED", object: undefined })).toBe(
    immediate,
  );
});

test("names a priority that is none", () => {
  expect(() => chosen({ priority: "urgent" })).toThrow(
    '"urgent" is not a priority: set the annotation fettle.dev/priority to critical, high, normal, low or a number',
  );
});
