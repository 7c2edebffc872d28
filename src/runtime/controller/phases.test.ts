import { expect, test } from "vitest";
import { PermanentError } from "./outcome.js";
import { move, type PhaseRules } from "./phases.js";

const rules: PhaseRules = {
  initial: "Pending",
  transitions: { Pending: ["Running", "Failed"], Running: ["Done", "Failed"], Failed: ["Pending"], Done: [] },
};

test.each([
  [undefined, "Pending"],
  [undefined, "Running"],
  ["Pending", "Running"],
  ["Running", "Running"],
  ["Failed", "Pending"],
  // A phase of an older version of the controller: it begins anew.
  ["Retired", "Running"],
])("from %s it may go to %s", (from, to) => {
  expect(move(rules, from, to)).toBe(to);
});

test.each([
  [
    "Pending",
    "Done",
    "ImpossibleTransition",
    "Pending cannot become Done: from there it goes to Running or Failed",
  ],
  [undefined, "Done", "ImpossibleTransition", "Pending cannot become Done"],
  ["Done", "Running", "ImpossibleTransition", "Done cannot become Running: it is final"],
  [
    "Pending",
    "toString",
    "UnknownPhase",
    "there is no phase toString: the phases are Pending, Running, Failed, Done",
  ],
])("from %s it may not go to %s", (from, to, reason, message) => {
  const attempt = (): string => move(rules, from, to);
  expect(attempt).toThrow(message);
  expect(attempt).toThrow(expect.objectContaining({ reason }));
  expect(attempt).toThrow(PermanentError);
});

test.each<[unknown, string]>([
  [null, "a declared phase cannot be taken away: the phases are Pending, Running, Failed, Done"],
  [1, "a declared phase cannot be of type number"],
  [["Running"], "a declared phase cannot be of type object"],
])("%j is no phase", (to, message) => {
  const attempt = (): string => move(rules, "Pending", to);
  expect(attempt).toThrow(message);
  expect(attempt).toThrow(expect.objectContaining({ reason: "UnknownPhase" }));
});
