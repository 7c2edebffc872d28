import { expect, test } from "vitest";
import { type Finding, Findings } from "./finding.js";

const finding = (object: string, at: number): Finding => ({
  type: "fight",
  controller: "c",
  object,
  message: `${object} at ${at}`,
  count: 3,
  since: 0,
  at,
});

test("reports the same finding once in ten minutes, and lists its last occurrence", () => {
  const findings = new Findings();
  expect(findings.add(finding("a", 0))).toBe(true);
  expect(findings.add(finding("b", 1))).toBe(true);
  expect(findings.add(finding("a", 2))).toBe(false);
  expect(findings.list(2).map(({ message }) => message)).toEqual(["a at 2", "b at 1"]);
  expect(findings.add(finding("a", 600_000))).toBe(true);
});

test("lists the last 200 findings of the last hour, newest first", () => {
  const findings = new Findings();
  for (let index = 0; index < 500; index++) findings.add(finding(`object ${index}`, index));
  expect(findings.list(500)).toHaveLength(200);
  expect(findings.list(500)[0]?.object).toBe("object 499");
  expect(findings.list(4_000_000)).toEqual([]);
});
