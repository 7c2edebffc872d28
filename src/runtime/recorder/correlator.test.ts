import { expect, test } from "vitest";
import { Correlator } from "./correlator.js";
import { Lru } from "./lru.js";
import { occurrence, type EventContent } from "./occurrence.js";

function site(name: string) {
  return { apiVersion: "demo.dev/v1", kind: "Site", metadata: { name, namespace: "n", uid: `uid-${name}` } };
}

const happened = (content: Partial<EventContent> = {}, name = "hello") =>
  occurrence(site(name), { reason: "Published", message: "ok", ...content });

test("the same thing is counted, from first to last", () => {
  const correlator = new Correlator();
  const { series } = correlator.take(happened(), 1000);
  expect(correlator.take(happened(), 5000).series).toBe(series);
  expect(series).toMatchObject({ count: 2, first: 1000, last: 5000, message: "ok" });
});

test.each<[string, ReturnType<typeof happened>]>([
  ["another message", happened({ message: "better" })],
  ["another reason", happened({ reason: "Other" })],
  ["another type", happened({ type: "Warning" })],
  ["another action", happened({ action: "Publish" })],
  ["another related object", happened({ related: site("x") })],
  ["another object", happened({}, "other")],
])("%s is something else", (_, other) => {
  const correlator = new Correlator();
  const { series } = correlator.take(happened(), 0);
  expect(correlator.take(other, 0).series).not.toBe(series);
});

test("from the tenth that differs in its message only, they become one", () => {
  const correlator = new Correlator();
  const take = (number: number, now: number) =>
    correlator.take(happened({ message: `page ${number}` }), now).series;
  for (let number = 1; number < 10; number++) expect(take(number, number).message).toBe(`page ${number}`);
  const combined = take(10, 10);
  expect(combined).toMatchObject({
    message: "(combined from similar events): page 10",
    count: 1,
    first: 10,
  });
  expect(take(11, 600_000)).toBe(combined);
  expect(combined).toMatchObject({ message: "(combined from similar events): page 11", count: 2 });
  // Ten quiet minutes later they are told apart again.
  expect(take(12, 1_200_001).message).toBe("page 12");
});

test("25 at once about one object, then one in five minutes; others are not held back", () => {
  const correlator = new Correlator();
  const send = (now: number, name?: string) => correlator.take(happened({}, name), now).send;
  const sent = Array.from({ length: 30 }, () => send(0)).filter(Boolean);
  expect(sent).toHaveLength(25);
  expect(send(0, "other")).toBe(true);
  expect(send(299_999)).toBe(false);
  expect(send(300_000)).toBe(true);
  expect(send(300_000)).toBe(false);
  const { series } = correlator.take(happened(), 300_000);
  expect(series.count, "held back, but counted").toBe(34);
});

test("what has not been asked for longest is forgotten first", () => {
  const lru = new Lru<object>(2);
  const a = lru.get("a", () => ({}));
  lru.get("b", () => ({}));
  expect(lru.get("a", () => ({}))).toBe(a);
  lru.get("c", () => ({}));
  expect(lru.size).toBe(2);
  expect(lru.get("a", () => ({}))).toBe(a);
});
