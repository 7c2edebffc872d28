import { describe, expect, test } from "vitest";

import { patternProblem } from "./portable-pattern.js";

describe("patternProblem", () => {
  test.each([
    /^a+$/,
    /^(?:a|b)*c?$/,
    /[a-z0-9]([-a-z0-9]*[a-z0-9])?/,
    /^\d{3}-\d{2,4}\.\w+\s\S\bx\/y$/,
    new RegExp(String.raw`a\-\_`),
    /\x41\n\t/,
    /\p{Lu}\P{L}/u,
    /[.*+?^${}()|[\]\\]/,
    /a{1000}/,
    /a{,5}/,
    /\$\(\{/g,
  ])("%s may be used", (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
  });

  test.each<[RegExp, string]>([
    [/a(?=b)/, '"(?="'],
    [/a(?!b)/, '"(?!"'],
    [/(?<=a)b/, '"(?<="'],
    [/(?<!a)b/, '"(?<!"'],
    [/(?<name>a)/, '"(?<n"'],
    [/(a)\1/, '"\\1" (a reference back)'],
    [/(?:a)\k/, '"\\k" (a reference back)'],
    [/\u00e9/, '"\\u" is unknown'],
    [/\cA/, '"\\c" is unknown'],
    [/\0/, '"\\0" is unknown'],
    [/\p{Script=Greek}/u, '"\\p" is unknown'],
    [/[^]/, "an empty character class"],
    [new RegExp("[]"), "an empty character class"],
    [/[[:alpha:]]/, '"[:"'],
    [/a{1001}/, "a repetition of more than 1000"],
    [/a{2,1001}/, "a repetition of more than 1000"],
    [/a/i, 'the flag "i"'],
    [/a/m, 'the flag "m"'],
    [/a/s, 'the flag "s"'],
    [/a/y, 'the flag "y"'],
    [new RegExp("a", "v"), 'the flag "v"'],
  ])("%s may not", (pattern, problem) => {
    expect(patternProblem(pattern)).toContain(problem);
  });
});
