import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseScenario, QueueScenario } from "./fixtures/scenario.js";

const folder = new URL("./scenarios/", import.meta.url);

/** Set it to rewrite the scenarios with the current output; review the difference before you commit it. */
const rewrite = process.env["FETTLE_REWRITE_SCENARIOS"] !== undefined;

describe.each(readdirSync(folder).filter((file) => file.endsWith(".txt")))("%s", (file) => {
  test("prints what the scenario expects", async () => {
    const url = new URL(file, folder);
    const text = readFileSync(url, "utf8");
    const scenario = new QueueScenario();
    let rewritten = text;
    for (const { line, commands, expected } of parseScenario(text)) {
      const printed = await scenario.run(commands);
      if (rewrite) {
        const before = `${commands.at(-1)}\n----\n${expected}`.trimEnd();
        rewritten = rewritten.replace(before, () => `${commands.at(-1)}\n----\n${printed}`);
      } else {
        expect(printed, `${file}, line ${line}: ${commands.join("; ")}`).toBe(expected);
      }
    }
    if (rewrite) writeFileSync(url, rewritten);
  });
});
