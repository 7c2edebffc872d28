import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const folder = "docs/systems";

/** Last column of a row: files, each with the title of a test or without. */
const shownBy = /`([\w./-]+\.ts)`(?: "([^"]+)")?/g;

describe.each(readdirSync(folder))("%s", (page) => {
  const rows = readFileSync(join(folder, page), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| in the document |"));

  test("has rows", () => {
    expect(rows.length).toBeGreaterThan(5);
  });

  test.each(rows.map((row) => row.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/g, ""))))(
    "%s",
    (...cells) => {
      const last = cells.at(-1) ?? "";
      const all = [...last.matchAll(shownBy)];
      expect(all.length, `nothing shows this row: ${last}`).toBeGreaterThan(0);
      for (const [, file = "", title] of all) {
        expect(existsSync(file), `${file} does not exist`).toBe(true);
        if (title !== undefined) expect(readFileSync(file, "utf8")).toContain(`"${title}"`);
      }
    },
  );
});
