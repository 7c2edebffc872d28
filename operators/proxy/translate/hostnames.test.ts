import { describe, expect, test } from "vitest";
import { compareHosts, intersect, mostSpecific, specificity } from "./hostnames.js";

describe("the names that a listener and a route have in common", () => {
  test.each([
    ["", "", ""],
    ["", "a.example.com", "a.example.com"],
    ["a.example.com", "", "a.example.com"],
    ["a.example.com", "a.example.com", "a.example.com"],
    ["*.example.com", "a.example.com", "a.example.com"],
    ["*.example.com", "a.b.example.com", "a.b.example.com"],
    ["*.example.com", "*.b.example.com", "*.b.example.com"],
    ["a.example.com", "*.example.com", "a.example.com"],
    ["*.b.example.com", "*.example.com", "*.b.example.com"],
    ["*.example.com", "example.com", undefined],
    ["*.example.com", "badexample.com", undefined],
    ["*.example.com", "a.example.net", undefined],
    ["a.example.com", "b.example.com", undefined],
    ["*.a.example.com", "*.b.example.com", undefined],
  ])("%j and %j: %j", (listener, route, common) => {
    expect(intersect(listener, route)).toBe(common);
    expect(intersect(route, listener)).toBe(common);
  });
});

test.each([
  ["abc.foo.example.com", "abc.foo.example.com"],
  ["x.foo.example.com", "*.foo.example.com"],
  ["*.foo.example.com", "*.foo.example.com"],
  ["*.x.foo.example.com", "*.foo.example.com"],
  ["foo.example.com", "*.example.com"],
  ["*.bar.example.com", "*.example.com"],
  ["example.com", ""],
  ["*.com", ""],
  ["", ""],
])("requests for %j belong to the listener %j", (host, owner) => {
  const hosts = ["", "*.example.com", "*.foo.example.com", "abc.foo.example.com"];
  expect(mostSpecific(new Map(hosts.map((name) => [name, name])), host)).toBe(owner);
});

test("no listener covers a host of another domain", () => {
  expect(mostSpecific(new Map([["*.example.com", 1]]), "example.com")).toBeUndefined();
});

test("servers are in order: exact names, wildcards from the longest, the rest", () => {
  const sorted = ["a.com", "b.com", "*.longer.example.com", "*.example.com", "*.example.net", ""];
  expect(sorted.toReversed().toSorted(compareHosts)).toEqual(sorted);
});

test("an exact name is more specific than any wildcard, and a longer one than a shorter one", () => {
  const hosts = ["", "*.com", "*.a-very-long-name.example.com", "a.io", "ab.io"];
  expect(hosts.toReversed().toSorted((one, other) => specificity(one) - specificity(other))).toEqual(hosts);
});
