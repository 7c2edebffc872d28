import { expect, test } from "vitest";
import { parseGoal } from "./goal.js";

const stalledAt = (observedGeneration: number) => ({
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: { name: "hello", generation: 2 },
  status: {
    conditions: [
      { type: "Ready", status: "False", reason: "NoTitle", message: "", observedGeneration },
      { type: "Stalled", status: "True", reason: "NoTitle", message: "it has none", observedGeneration },
    ],
  },
});

test("a stalled object cannot reach a condition, unless its spec has changed since", () => {
  const ready = parseGoal("condition=Ready");
  expect(ready.obstacle?.(stalledAt(2))).toBe("Stalled: NoTitle, it has none");
  expect(ready.obstacle?.(stalledAt(1))).toBeUndefined();
  expect(ready.state(stalledAt(1))).toBe("Ready is False: NoTitle");
  for (const text of ["condition=Stalled", "condition=Ready=False", "delete", "jsonpath={.spec}"]) {
    expect(parseGoal(text).obstacle?.(stalledAt(2))).toBeUndefined();
  }
});
