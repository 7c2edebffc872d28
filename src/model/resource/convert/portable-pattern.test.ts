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
  ])("%s is portable", (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
  });

  test.each<[RegExp, string]>([
    [/a(?=b)/, '"(?="'],
    [/a(?!b)/, '"(?!"'],
    [/(?<=a)b/, '"(?<="'],
    [/(?<!a)b/, '"(?<!"'],
    [/(?<name>a)/, '"(?<n"'],
    [/(a)\1/, '"\\1" (back-reference)'],
    [/(?:a)\k/, '"\\k" (back-reference)'],
    [/\u00e9/, '"\\u" is not supported'],
    [/\cA/, '"\\c" is not supported'],
    [/\0/, '"\\0" is not supported'],
    [/\p{Script=Greek}/u, '"\\p" is not supported'],
    [/[^]/, "an empty character class"],
    [new RegExp("[]"), "an empty character class"],
    [/[[:alpha:]]/, '"[:"'],
    [/a{1001}/, "a repetition of more than 1000"],
    [/a{2,1001}/, "a repetition of more than 1000"],
    [/a/i, 'flag "i"'],
    [/a/m, 'flag "m"'],
    [/a/s, 'flag "s"'],
    [/a/y, 'flag "y"'],
    [new RegExp("a", "v"), 'flag "v"'],
  ])("%s is not portable", (pattern, problem) => {
    expect(patternProblem(pattern)).toContain(problem);
  });
});
