import { expect, test } from "vitest";
import type { Lease } from "../lease/lease.js";
import { Members } from "./members.js";

const lease = (name: string, resourceVersion: string): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, uid: name, resourceVersion },
  spec: { leaseDurationSeconds: 10 },
});
const at = (sentAt: number, receivedAt = sentAt) => ({ sentAt, receivedAt });

test("a member is gone when its Lease has not changed for its whole duration", () => {
  const members = new Members(1000);
  members.update([lease("a", "1"), lease("b", "1")], [], at(0));
  members.update([lease("a", "2"), lease("b", "1")], [], at(9000));
  expect(members.alive()).toEqual(["a", "b"]);
  members.update([lease("a", "2"), lease("b", "1")], [], at(10_000));
  expect(members.alive()).toEqual(["a"]);
  expect(members.gone(() => false).map(({ metadata }) => metadata.name)).toEqual(["b"]);
  expect(members.gone((name) => name === "a")).toHaveLength(2);
});

test("reports when the next member is gone, unless it renews its Lease", () => {
  const members = new Members(1000);
  expect(members.nextGone()).toBe(Infinity);
  members.update([lease("a", "1"), lease("b", "1")], [], at(0));
  members.update([lease("a", "1"), lease("b", "2")], ["vanished"], at(4000));
  expect(members.nextGone()).toBe(5000);
  members.update([lease("a", "1"), lease("b", "2")], ["vanished"], at(5000));
  expect(members.nextGone()).toBe(10_000);
  members.update([lease("a", "1"), lease("b", "2")], ["vanished"], at(10_000));
  expect(members.nextGone()).toBe(14_000);
});

test("silence counts up to when the request was sent: a member may have renewed while the response was on its way", () => {
  const members = new Members(1000);
  // Known only since the answer arrived.
  members.update([lease("a", "1")], [], at(0, 3000));
  members.update([lease("a", "1")], [], at(9000, 20_000));
  expect(members.isGone("a")).toBe(false);
  members.update([lease("a", "1")], [], at(12_999));
  expect(members.isGone("a")).toBe(false);
  members.update([lease("a", "1")], [], at(13_000));
  expect(members.isGone("a")).toBe(true);
});

test("a member with shards and without a Lease is waited for just as long", () => {
  const members = new Members(5000);
  members.update([lease("a", "1")], ["a", undefined], at(0));
  members.update([], ["a", "unknown"], at(1000));
  members.update([], ["a", "unknown"], at(7000));
  expect(members.alive()).toEqual([]);
  expect([members.isGone("a"), members.isGone("unknown")]).toEqual([false, true]);
  members.update([], ["a"], at(11_000));
  expect([members.isGone("a"), members.isGone("unknown")]).toEqual([true, false]);
});
