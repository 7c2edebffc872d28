import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Command } from "../../src/cli/command/command.js";
import { commandGroups } from "../../src/cli/commands/index.js";
import { apiPage } from "./reference/api-page.js";
import { cliPage } from "./reference/cli-page.js";
import { configPage } from "./reference/config-page.js";
import { differencesPage } from "./reference/differences-page.js";
import { errorsPage } from "./reference/errors-page.js";
import { metricsPage } from "./reference/metrics-page.js";

/** Generated pages. `npm run docs:reference` runs this file with --update. */
const made: Readonly<Record<string, () => string | Promise<string>>> = {
  "docs/reference/cli.md": cliPage,
  "docs/reference/config.md": configPage,
  "docs/reference/metrics.md": metricsPage,
  "docs/reference/errors.md": errorsPage,
  "docs/reference/api.md": apiPage,
  "docs/reference/differences.md": differencesPage,
};

describe("the reference matches the code", () => {
  test.each(Object.entries(made))("%s", async (file, make) => {
    const advice = `${file} is out of date; run npm run docs:reference`;
    await expect(await make(), advice).toMatchFileSnapshot(join(process.cwd(), file));
  });
});

const pages = readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => join("docs", name));

describe.each(pages)("%s", (page) => {
  const text = readFileSync(page, "utf8");

  test("links to existing targets", () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const broken = links.filter((link) => !/^https?:/.test(link) && !leadsSomewhere(page, link));
    expect(broken).toEqual([]);
  });

  test("shows existing commands and options", async () => {
    const problems: string[] = [];
    for (const [, script = ""] of text.matchAll(/^```sh\n(.*?)^```/gms)) {
      for (const [, line = ""] of script.matchAll(/\bfettle ([a-z][^|#\n]*)/g))
        problems.push(...(await faults(line)));
    }
    expect(problems).toEqual([]);
  });
});

test("the index lists every page", () => {
  const index = readFileSync("docs/README.md", "utf8");
  const missing = pages
    .map((page) => page.replace(/^docs\//, ""))
    .filter((page) => page !== "README.md" && !index.includes(`(${page})`));
  expect(missing).toEqual([]);
});

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", heading] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(target)) return false;
  return heading === undefined || headingsOf(readFileSync(target, "utf8")).has(heading);
}

/** Anchors of headings, as GitHub generates them. */
function headingsOf(text: string): ReadonlySet<string> {
  const titles = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => title);
  const names = titles.map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );
  return new Set(names);
}

/** Problems of a command line, given without `fettle`. */
async function faults(line: string): Promise<string[]> {
  // What follows `--` is passed on to another command.
  const [name, ...words] = line
    .replace(/ -- .*/, "")
    .trim()
    .split(/\s+/);
  const entry = commandGroups.flatMap(({ commands }) => commands).find((each) => each.name === name);
  if (entry === undefined) return [`there is no command ${name}`];
  let command: Command = await entry.load();
  const below = command.commands?.[words[0] ?? ""];
  if (below !== undefined) command = below;
  const flags = (command.options ?? []).flatMap(
    (option) => option.flags.match(/(?<![\w-])--?[a-z][a-z-]*/gi) ?? [],
  );
  return words
    .filter(
      (word) => /^--?[a-z]/i.test(word) && ![...flags, "-h", "--help"].includes(word.replace(/=.*/, "")),
    )
    .map((word) => `fettle ${name} has no option ${word}`);
}
