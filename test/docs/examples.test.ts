import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/**
 * Runs the examples of the documentation: every fenced `ts` block is type-checked and executed against the built
 * package, as users install it. Where a line ends in `// → text`, the program must have printed these texts, in this
 * order. The tutorial is one project rather than programs of their own; `tutorial.test.ts` runs it.
 */
interface Example {
  readonly name: string;
  readonly code: string;
  readonly prints: readonly string[];
}

const pages = [
  "README.md",
  ...["docs", "docs/how-to"].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".md") && name !== "tutorial.md")
      .map((name) => `${folder}/${name}`),
  ),
];
const examples = pages.flatMap(examplesOf);
const place = join(".cache", `examples-${process.pid}`);

function examplesOf(page: string): Example[] {
  const text = readFileSync(page, "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => {
    const line = text.slice(0, match.index).split("\n").length;
    const code = match[1] ?? "";
    const prints = [...code.matchAll(/\/\/ → (.*)$/gm)].map((comment) => comment[1] ?? "");
    return { name: `${page}:${line}`, code, prints };
  });
}

const fileOf = ({ name }: Example): string => name.replaceAll(/\W+/g, "-");

beforeAll(() => {
  mkdirSync(place, { recursive: true });
  for (const example of examples) writeFileSync(join(place, `${fileOf(example)}.ts`), example.code);
  const options = { noEmit: false, rootDir: ".", outDir: "out", noUnusedLocals: false, paths: {} };
  writeFileSync(
    join(place, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.json", compilerOptions: options, include: ["."] }),
  );
  const { status, stdout } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", place], {
    encoding: "utf8",
  });
  expect(status, stdout).toBe(0);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe("the examples in the documentation run", () => {
  test.each(examples)("$name", async (example) => {
    const { stdout } = await promisify(execFile)(process.execPath, [`out/${fileOf(example)}.js`], {
      cwd: place,
    });
    expect(stdout.split("\n").filter((line) => line !== "")).toEqual(example.prints);
  });
});
