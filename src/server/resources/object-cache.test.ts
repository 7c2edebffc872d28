import { describe, expect, test } from "vitest";
import { encodeStored } from "./encode-stored.js";
import { resourceType, typedCapabilities } from "./fixtures/resource-type.js";
import { ObjectCache } from "./object-cache.js";
import type { Draft } from "./resource-type.js";
import type { StoredEntry } from "./stored-object.js";

const v1 = resourceType({ group: "demo.dev", kind: "Widget", plural: "widgets" });
const v2 = resourceType({ group: "demo.dev", version: "v2", kind: "Widget", plural: "widgets" });

function draft(name: string, size = 1): Draft {
  return { apiVersion: "demo.dev/v1", kind: "Widget", metadata: { name }, spec: { text: "x".repeat(size) } };
}

function entry(name: string, revision: number, size?: number): StoredEntry {
  const key = `/demo.dev/widgets/default/${name}`;
  return { key, value: encodeStored(v1, draft(name, size), "admin"), revision };
}

describe("get", () => {
  test("returns the same object for the same entry, also when the store sends a copy of its bytes", () => {
    const cache = new ObjectCache();
    const stored = entry("a", 7);
    const copy = { ...stored, value: Uint8Array.from(stored.value) };
    expect(cache.get(v1, copy)).toBe(cache.get(v1, stored));
    expect(cache.peek(v1, copy)).toBe(cache.get(v1, stored));
  });

  test("distinguishes versions of the kind, revisions, and the last state before a deletion", () => {
    const cache = new ObjectCache();
    const stored = entry("a", 7);
    const first = cache.get(v1, stored);
    const others = [cache.get(v2, stored), cache.get(v1, stored, 9), cache.get(v1, entry("a", 8))];
    expect(new Set([first, ...others]).size).toBe(4);
    expect(others.map(({ object }) => object.metadata.resourceVersion)).toEqual(["7", "9", "8"]);
  });

  test("keeps a bounded number of objects and bytes", () => {
    const cache = new ObjectCache();
    const first = cache.get(v1, entry("first", 1));
    for (let index = 0; index < 2100; index++) cache.get(v1, entry(`n-${index}`, index + 2, 10_000));
    expect(cache.get(v1, entry("first", 1)) === first).toBe(false);
    const size = 9 * 1024 * 1024;
    const stored = entry("large", 5000, size);
    const large = cache.get(v1, stored);
    expect(cache.get(v1, stored) === large).toBe(true);
    for (let index = 0; index < 3; index++) cache.get(v1, entry(`l-${index}`, 6000 + index, size));
    expect(cache.get(v1, stored) === large).toBe(false);
  });

  test("keeps objects that are read repeatedly", () => {
    const cache = new ObjectCache();
    const hot = entry("hot", 1);
    const object = cache.get(v1, hot);
    for (let index = 0; index < 3000; index++) {
      cache.get(v1, entry(`n-${index}`, index + 2));
      if (index % 100 === 0) expect(cache.get(v1, hot)).toBe(object);
    }
  });
});

describe("peek", () => {
  test("evicts nothing", () => {
    const cache = new ObjectCache();
    const object = cache.get(v1, entry("a", 1));
    for (let index = 0; index < 3000; index++) cache.peek(v1, entry(`n-${index}`, index + 2));
    expect(cache.peek(v1, entry("a", 1))).toBe(object);
  });
});

describe("writing", () => {
  test("uses the written draft as the object, whatever buffer the store sends", () => {
    const cache = new ObjectCache();
    const written = draft("a");
    const { key, value } = entry("a", 0);
    cache.writing(v1, key, value, written);
    const copy = { key, value: Uint8Array.from(value), revision: 5 };
    expect(cache.metadata(copy)).toBe(written.metadata);
    expect(cache.get(v1, copy).object).toBe(written);
    expect(written.metadata["resourceVersion"]).toBe("5");
    expect(Object.isFrozen(written.spec)).toBe(true);
  });

  test("drops a draft that was not read after many other writes", () => {
    const cache = new ObjectCache();
    const drafts = Array.from({ length: 1100 }, (_, index) => draft(`n-${index}`));
    const entries = drafts.map(({ metadata }, index) => entry(metadata["name"] as string, index + 1));
    for (const [index, { key, value }] of entries.entries()) {
      cache.writing(v1, key, value, drafts[index] ?? draft(""));
      cache.get(v1, { key, value, revision: index + 1 });
    }
    const isDraft = (index: number): boolean => {
      return cache.get(v1, entries[index] ?? entry("", 0)).object === (drafts[index] as unknown);
    };
    expect([isDraft(0), isDraft(1099)]).toEqual([false, true]);
  });

  test("drops a draft when other bytes were written", () => {
    const cache = new ObjectCache();
    const lost = draft("a", 2);
    const stored = entry("a", 5, 1);
    cache.writing(v1, stored.key, encodeStored(v1, lost, "admin"), lost);
    expect(cache.metadata(stored)).toBeUndefined();
    expect(cache.get(v1, stored).object).not.toBe(lost);
    expect(cache.get(v1, stored).object.spec).toEqual({ text: "x" });
  });

  test("keeps drafts only of kinds that are stored as they are", () => {
    const cache = new ObjectCache();
    const typed = { ...v1, capabilities: typedCapabilities };
    const written = draft("a");
    const stored = entry("a", 5);
    cache.writing(typed, stored.key, stored.value, written);
    expect(cache.get(typed, stored).object).not.toBe(written);
  });
});
