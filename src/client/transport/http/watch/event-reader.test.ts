import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isExpired } from "../../../../model/core.js";
import { ConnectionError } from "../../transport.js";
import { EventReader } from "./event-reader.js";

const kind = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" } as const;

const event = (name: string, data: string) => ({
  type: "ADDED",
  object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text: data } },
});

/** Splits bytes at the given positions. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
}

test("splitting the bytes anywhere, also within a character, gives the same events", () => {
  const texts = fc.array(fc.string({ unit: "binary" }), { maxLength: 8 });
  fc.assert(
    fc.property(texts, fc.array(fc.nat(2000), { maxLength: 30 }), fc.boolean(), (texts, places, last) => {
      const sent = texts.map((text, index) => event(`${index}-ä€😀`, text));
      const lines = sent.map((one) => JSON.stringify(one)).join("\n") + (last ? "\n" : "");
      const reader = new EventReader({ kind });
      const read = cut(Buffer.from(lines), places).flatMap((chunk) => reader.read([chunk]).events);
      const { events, failure } = reader.end();
      expect(failure).toBeUndefined();
      expect([...read, ...events]).toEqual(JSON.parse(JSON.stringify(sent)));
    }),
  );
});

test("objects are frozen", () => {
  const { events } = new EventReader({ kind }).read([Buffer.from(`${JSON.stringify(event("a", "b"))}\n`)]);
  expect(Object.isFrozen(events[0])).toBe(true);
  expect(Object.isFrozen(events[0]?.object.metadata)).toBe(true);
});

test("a metadata response gets the kind of its object", () => {
  const partial = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: { name: "a" } };
  const { events } = new EventReader({ kind, metadataOnly: true }).read([
    Buffer.from(`${JSON.stringify({ type: "ADDED", object: partial })}\n`),
  ]);
  expect(events[0]?.object).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
});

describe("failures", () => {
  const good = JSON.stringify(event("a", "b"));
  const read = (text: string) => new EventReader({ kind }).read([Buffer.from(text)]);

  test("ERROR is thrown after the events before it", () => {
    const status = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
    const { events, failure } = read(`${good}\n${JSON.stringify({ type: "ERROR", object: status })}\n`);
    expect(events).toHaveLength(1);
    expect(isExpired(failure)).toBe(true);
  });

  test.each(["<html>", "null", "[]", "{}", '{"type":"ADDED"}', '{"type":"OTHER","object":{}}', "1"])(
    "%s is no event",
    (line) => {
      const { events, failure } = read(`${good}\n${line}\n`);
      expect(events).toHaveLength(1);
      expect(failure).toBeInstanceOf(ConnectionError);
      expect(failure?.message).toContain(line);
    },
  );

  test("the end within an event is an error", () => {
    const reader = new EventReader({ kind });
    expect(reader.read([Buffer.from(good.slice(0, -5))])).toEqual({ events: [] });
    expect(reader.end().failure).toBeInstanceOf(ConnectionError);
  });

  test("the size of an event is limited", () => {
    const large = JSON.stringify(event("a", "x".repeat(10_000)));
    const pieces = cut(Buffer.from(`${large}\n`), [1000, 2000, 3000, 9000]);
    expect(new EventReader({ kind }, { largest: 11_000 }).read(pieces).events).toHaveLength(1);
    expect(new EventReader({ kind }, { largest: 5000 }).read(pieces).failure?.message).toContain(
      "more than 5000 bytes",
    );
  });
});
