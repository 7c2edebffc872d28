import fc from "fast-check";
import { expect, test } from "vitest";
import { eventPattern, EventPatternError } from "./event-pattern.js";

test.each([
  ["a.b", "a.b", true],
  ["a.b", "a.b.c", false],
  ["a.*", "a.b", true],
  ["a.*", "a.b.c", false],
  ["*.created", "site.created", true],
  ["*.created", "io.example.site.created", false],
  ["**.created", "io.example.site.created", true],
  ["io.example.device.**", "io.example.device.created", true],
  ["io.example.device.**", "io.example.device.port.created", true],
  ["io.example.device.**", "io.example.device", true],
  ["io.example.device.**", "io.example.devices.created", false],
  ["**", "anything.at.all", true],
  ["a.**.z", "a.z", true],
  ["a.**.b.**.z", "a.x.b.b.y.z", true],
  ["a.**.b.c", "a.b.x.b.c", true],
])("%s matches %s: %s", (pattern, type, expected) => {
  expect(eventPattern(pattern)(type)).toBe(expected);
});

test("agrees with a regular expression on random patterns and types", () => {
  const name = fc.constantFrom("a", "b", "c");
  const part = fc.oneof(name, fc.constant("*"), fc.constant("**"));
  const dotted = (each: fc.Arbitrary<string>) =>
    fc.array(each, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("."));
  fc.assert(
    fc.property(dotted(part), dotted(name), (pattern, type) => {
      const body = pattern
        .split(".")
        .map((each) => (each === "**" ? "(?:[^.]+\\.)*" : each === "*" ? "[^.]+\\." : `${each}\\.`))
        .join("");
      expect(eventPattern(pattern)(type)).toBe(new RegExp(`^${body}$`).test(`${type}.`));
    }),
  );
});

test.each(["", "a..b", "a.b*", "a b", "a.***", "a\n.b", "x".repeat(300)])("refuses %j", (pattern) => {
  expect(() => eventPattern(pattern)).toThrow(EventPatternError);
});
