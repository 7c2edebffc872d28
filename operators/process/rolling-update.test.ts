import fc from "fast-check";
import { expect, test } from "vitest";
import { planUpdate, type Replica, type UpdateSituation } from "./rolling-update.js";

const minute = 60_000;

function replica(revision: string, ready = true, more: Partial<Replica> = {}): Replica {
  return { name: "web-0", revision, ready, updatedAt: 0, ...more };
}

function situation(more: Partial<UpdateSituation>): UpdateSituation {
  return {
    wanted: "b",
    current: "a",
    failed: undefined,
    hasTemplate: () => true,
    replicas: [],
    maxUnavailable: 1,
    progressDeadline: 10 * minute,
    onFailure: "Pause",
    paused: false,
    now: minute,
    ...more,
  };
}

test("replicas are updated one after another, each when the one before is ready", () => {
  const first = planUpdate(situation({ replicas: [replica("a"), replica("a"), replica("a")] }));
  expect(first.revisions).toEqual(["b", "a", "a"]);
  const second = planUpdate(situation({ replicas: [replica("b", false), replica("a"), replica("a")] }));
  expect(second).toMatchObject({ revisions: ["b", "a", "a"], phase: "Updating", deadline: 10 * minute });
  const third = planUpdate(situation({ replicas: [replica("b"), replica("a"), replica("a")] }));
  expect(third.revisions).toEqual(["b", "b", "a"]);
  const last = planUpdate(situation({ replicas: [replica("b"), replica("b"), replica("b")] }));
  expect(last).toMatchObject({ phase: "Complete", current: "b", readyReplicas: 3, updatedReplicas: 3 });
});

test("a replica that is not ready is updated at once, as nothing is lost by it", () => {
  const plan = planUpdate(situation({ replicas: [replica("a"), replica("a", false), replica("a", false)] }));
  expect(plan.revisions).toEqual(["a", "b", "b"]);
});

test("a paused update changes nothing, and new replicas get the template that works", () => {
  const plan = planUpdate(situation({ paused: true, replicas: [replica("b"), replica("a"), undefined] }));
  expect(plan).toMatchObject({ revisions: ["b", "a", "a"], phase: "Paused", failure: undefined });
});

test("an update stops when an updated replica fails or is not ready in time, and goes on when it recovers", () => {
  const failed = replica("b", false, { failure: "web-0: exited with code 1" });
  expect(planUpdate(situation({ replicas: [failed, replica("a")] }))).toMatchObject({
    revisions: ["b", "a"],
    failure:
      "revision b failed: web-0: exited with code 1; the update is stopped. Change the template to try again",
  });
  const late = planUpdate(situation({ replicas: [replica("b", false), replica("a")], now: 11 * minute }));
  expect(late.failure).toContain("web-0 did not become ready in time");
  expect(planUpdate(situation({ replicas: [replica("b"), replica("a")] })).revisions).toEqual(["b", "b"]);
});

test("with Rollback the set returns to the last template that worked, and stays there", () => {
  const failed = replica("b", false, { failure: "web-0: exited with code 1" });
  const options = { onFailure: "Rollback" as const };
  const plan = planUpdate(situation({ ...options, replicas: [failed, replica("a")] }));
  expect(plan).toMatchObject({ revisions: ["a", "a"], phase: "RolledBack", failed: { revision: "b" } });
  const later = planUpdate(
    situation({ ...options, failed: plan.failed, replicas: [replica("a"), replica("a")] }),
  );
  expect(later).toMatchObject({ revisions: ["a", "a"], phase: "RolledBack", current: "a" });
  expect(later.failure).toContain("exited with code 1");
  const changed = planUpdate(
    situation({ ...options, wanted: "c", failed: plan.failed, replicas: [replica("a"), replica("a")] }),
  );
  expect(changed).toMatchObject({ revisions: ["c", "a"], failed: undefined });
});

test("a first template that fails has nothing to return to", () => {
  const failed = replica("b", false, { failure: "web-0: command not found" });
  const plan = planUpdate(
    situation({ current: undefined, onFailure: "Rollback", replicas: [failed, undefined] }),
  );
  expect(plan).toMatchObject({ phase: "Paused", failed: undefined });
});

test("an update makes no more than maxUnavailable ready replicas unavailable, and ends", () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      fc.infiniteStream(fc.nat()),
      (readiness, maxUnavailable, choices) => {
        let replicas = readiness.map((ready, index) => replica("a", ready, { name: `web-${index}` }));
        for (let round = 0; round < 100; round++) {
          const plan = planUpdate(situation({ replicas, maxUnavailable }));
          if (plan.phase === "Complete") return;
          const broken = replicas.filter(({ ready }) => !ready).length;
          replicas = replicas.map((each, index) =>
            plan.revisions[index] === each.revision ? each : { ...each, revision: "b", ready: false },
          );
          const unavailable = replicas.filter(({ ready }) => !ready).length;
          expect(unavailable).toBeLessThanOrEqual(Math.max(maxUnavailable, broken));
          const waiting = replicas.flatMap(({ ready }, index) => (ready ? [] : [index]));
          const { value: choice = 0 } = choices.next() as { value?: number };
          const recovered = waiting[choice % Math.max(waiting.length, 1)];
          replicas = replicas.map((each, index) =>
            index === recovered ? Object.assign({}, each, { ready: true }) : each,
          );
        }
        expect.unreachable("the update does not end");
      },
    ),
  );
});
