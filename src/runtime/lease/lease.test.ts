import { describe, expect, test } from "vitest";
import { decide, holderOf, observeLease, released, type Lease, type LeaseSpec } from "./lease.js";

const me = { identity: "me", leaseDuration: 15_000 };
const at = (steady: number, wall = Date.UTC(2026, 0, 1) + steady) => ({ wall, steady });

function lease(spec: LeaseSpec, resourceVersion = "1"): Lease {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "lease", namespace: "default", uid: "u", resourceVersion },
    spec,
  };
}

const theirs = lease({ holderIdentity: "other", leaseDurationSeconds: 20, leaseTransitions: 3 });

describe("decide", () => {
  test("creates a Lease that does not exist", () => {
    expect(decide({ lease: undefined, since: 0 }, at(0), me)).toEqual({
      type: "create",
      spec: {
        holderIdentity: "me",
        leaseDurationSeconds: 15,
        acquireTime: "2026-01-01T00:00:00.000000Z",
        renewTime: "2026-01-01T00:00:00.000000Z",
        leaseTransitions: 0,
      },
    });
  });

  test("waits for the duration in the Lease, counted from when it was first read, whatever the times in it", () => {
    const old = lease({ ...theirs.spec, renewTime: "1999-01-01T00:00:00.000000Z" });
    const observed = observeLease(undefined, old, 5000);
    expect(decide(observed, at(24_999), me)).toEqual({ type: "wait", holder: "other", until: 25_000 });
    expect(decide(observed, at(25_000), me).type).toBe("acquire");
    // A wall clock that is set forward does not make the holder silent for longer.
    expect(decide(observed, at(6000, Date.UTC(2030, 0, 1)), me).type).toBe("wait");
  });

  test("counts a transition, and keeps fields that it does not know", () => {
    const free = { ...lease({ holderIdentity: "", leaseTransitions: 3 }), extra: 1 };
    const spec = { ...free.spec, strategy: "OldestEmulationVersion" };
    const action = decide({ lease: { ...free, spec }, since: 0 }, at(0), me);
    expect(action).toMatchObject({
      type: "acquire",
      lease: {
        extra: 1,
        metadata: { resourceVersion: "1" },
        spec: { holderIdentity: "me", leaseTransitions: 4, strategy: "OldestEmulationVersion" },
      },
    });
  });

  test("a renewal keeps acquireTime and transitions, and always changes the Lease", () => {
    const first = decide({ lease: theirs, since: -30_000 }, at(0), me);
    if (first.type !== "acquire") throw new Error(first.type);
    const again = decide({ lease: first.lease, since: 0 }, at(0), me);
    expect(again).toMatchObject({
      type: "renew",
      lease: {
        spec: {
          acquireTime: "2026-01-01T00:00:00.000000Z",
          renewTime: "2026-01-01T00:00:00.000001Z",
          leaseTransitions: 4,
        },
      },
    });
  });

  test("writes no shorter duration than the configured one", () => {
    const action = decide({ lease: undefined, since: 0 }, at(0), { identity: "me", leaseDuration: 1001 });
    expect(action).toMatchObject({ spec: { leaseDurationSeconds: 2 } });
  });
});

test("a version seen before keeps its time, another one does not", () => {
  const first = observeLease(undefined, theirs, 100);
  expect(observeLease(first, theirs, 200).since).toBe(100);
  expect(observeLease(first, lease({}, "2"), 200).since).toBe(200);
  expect(observeLease(first, undefined, 200).since).toBe(200);
  const other = { ...theirs, metadata: { ...theirs.metadata, uid: "another lease of that name" } };
  expect(observeLease(first, other, 200).since).toBe(200);
});

test("releases its own Lease, and no other", () => {
  const mine = lease({ holderIdentity: "me", leaseTransitions: 2, leaseDurationSeconds: 15 });
  const free = released({ lease: mine, since: 0 }, at(0), me);
  expect(free?.spec).toMatchObject({ holderIdentity: "", leaseTransitions: 2, leaseDurationSeconds: 1 });
  expect(holderOf(free)).toBeUndefined();
  expect(released({ lease: theirs, since: 0 }, at(0), me)).toBeUndefined();
  expect(released({ lease: undefined, since: 0 }, at(0), me)).toBeUndefined();
});
