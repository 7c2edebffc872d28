import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { questions } from "./management.js";

test("requests every endpoint of the management API", () => {
  const contract = readFileSync(
    new URL("../../../src/plane/management/contract.ts", import.meta.url),
    "utf8",
  );
  const promised: string[] = [];
  for (const [, method = "", path = "", more = ""] of contract.matchAll(
    /^ \* \| `(GET|POST) ([\w/-]+)[^`]*`((?:, `\/\w+`)*)/gm,
  )) {
    const others = [...more.matchAll(/`(\/\w+)`/g)].map(([, last = ""]) => path.replace(/\/\w+$/, last));
    for (const each of [path, ...others]) promised.push(`${method} ${each}`);
  }
  expect(promised.length).toBeGreaterThan(10);
  expect(questions.map(([method, path]) => `${method} ${path}`).sort()).toEqual(promised.sort());
});
