import { describe, expect, test } from "vitest";
import { ResourceTypes } from "./resource-types.js";
import { apiVersionOf, type ResourceType } from "./resource-type.js";

function type(plural: string, version: string, stored = "v1", group = "demo.dev"): ResourceType {
  const storage = {
    prefix: `/${group || "core"}/${plural}/`,
    apiVersion: apiVersionOf({ group, version: stored }),
  };
  return { group, version, plural, kind: plural, storage } as unknown as ResourceType;
}

describe("kinds", () => {
  test("are found by path, by kind and by key", () => {
    const types = new ResourceTypes();
    const [one, two] = [type("widgets", "v1"), type("widgets", "v2")];
    const core = type("maps", "v1", "v1", "");
    types.set("widgets", [one, two]);
    types.set("core", [core]);
    expect(types.find("demo.dev", "v2", "widgets")).toBe(two);
    expect(types.find("demo.dev", "v3", "widgets")).toBeUndefined();
    expect(types.find("", "v1", "maps")).toBe(core);
    expect(types.ofKind("demo.dev/v1", "widgets")).toBe(one);
    expect(types.ofKind("v1", "maps")).toBe(core);
    expect(types.ofKey("/demo.dev/widgets/default/a")).toBe(one);
    expect(types.ofKey("/core/maps/default/a")).toBe(core);
    expect(types.ofKey("/demo.dev/gadgets/a")).toBeUndefined();
    expect(types.ofKey("nonsense")).toBeUndefined();
    expect(types.all).toEqual([one, two, core]);
  });

  test("are distinct once, in their storage version if it is served", () => {
    const types = new ResourceTypes();
    const [one, two, only] = [type("a", "v1", "v2"), type("a", "v2", "v2"), type("b", "v1", "v2")];
    types.set("a", [one, two]);
    types.set("b", [only]);
    expect(types.distinct).toEqual([two, only]);
  });

  test("are added and removed with their source", () => {
    const types = new ResourceTypes();
    const [first, second] = [type("a", "v1"), type("a", "v1")];
    types.set("a", [first]);
    types.set("a", [second]);
    expect(types.find("demo.dev", "v1", "a")).toBe(second);
    types.set("a", []);
    expect(types.find("demo.dev", "v1", "a")).toBeUndefined();
    expect(types.ofKey("/demo.dev/a/x")).toBeUndefined();
    expect(types.all).toEqual([]);
  });

  test("notify listeners of changes until they unsubscribe", () => {
    const types = new ResourceTypes();
    const seen: number[] = [];
    const forget = types.onChange(() => seen.push(types.generation));
    types.set("a", [type("a", "v1")]);
    types.set("a", []);
    forget();
    types.set("a", [type("a", "v1")]);
    expect(seen).toEqual([1, 2]);
    expect(types.generation).toBe(3);
  });
});
