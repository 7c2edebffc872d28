import { expect, test } from "vitest";
import { input, match, route, rule } from "../fixtures.js";
import { translate } from "../translate.js";

const header = (...names: readonly string[]) => names.map((name) => ({ type: "Exact", name, value: "1" }));

test("rules of all routes are in the order of the Gateway API", () => {
  // In the order in which they have to be tried; each is a route of its own.
  const expected = [
    match({ type: "Exact", path: "/a/b" }),
    match({ type: "Exact", path: "/a" }),
    match({ type: "RegularExpression", path: "/a/[a-z]+" }),
    match({ type: "RegularExpression", path: "/a.*" }),
    match({ path: "/a/b/c" }),
    match({ path: "/a/b", method: "GET" }),
    match({ path: "/a/b", headers: header("a", "b"), queryParams: header("a") }),
    match({ path: "/a/b", headers: header("a"), queryParams: header("a", "b") }),
    match({ path: "/a/b", headers: header("a"), queryParams: header("a") }),
    match({ path: "/a/b", queryParams: header("a", "b") }),
    match({ path: "/a/b" }),
    match({ path: "/", method: "GET", headers: header("a") }),
    match({ path: "/", headers: header("a", "b", "c") }),
    match({ path: "/" }),
  ];
  const routes = expected
    .map((one, index) => route({ name: `r${index}`, age: 100 - index, rules: [rule({ matches: [one] })] }))
    .toReversed();
  const { ports } = translate(input({ routes })).configuration;
  expect(ports[0]?.servers[0]?.rules.map(({ origin }) => origin.name)).toEqual(
    expected.map((_, index) => `r${index}`),
  );
});

test("rules that are equal: the oldest route, then the name, then the order in the route", () => {
  const same = () => [rule({ name: "first" }), rule({ name: "second", matches: [match(), match()] })];
  const routes = [
    route({ name: "b", age: 2, rules: same() }),
    route({ name: "a", age: 2, rules: same() }),
    route({ name: "c", age: 1, rules: same() }),
  ];
  const { ports } = translate(input({ routes })).configuration;
  const order = ports[0]?.servers[0]?.rules.map(({ origin }) => `${origin.name} ${origin.part}`);
  expect(order).toEqual(
    ["c", "a", "b"].flatMap((name) => ["first", "second", "second"].map((part) => `${name} ${part}`)),
  );
});

test("the trailing slash of a prefix does not count", () => {
  const routes = [route({ rules: [rule("/a/"), rule({ matches: [match({ path: "/a", method: "GET" })] })] })];
  const { ports } = translate(input({ routes })).configuration;
  expect(ports[0]?.servers[0]?.rules.map((one) => one.match.method)).toEqual(["GET", undefined]);
});
