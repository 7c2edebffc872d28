import { readdirSync, readFileSync } from "node:fs";
import { parseStep, type Step } from "./step.js";

/** Requests that follow each other, in a namespace of their own. */
export interface Scenario {
  readonly theme: string;
  readonly title: string;
  readonly steps: readonly Step[];
}

/** All scenarios in `cases/`: a title after `#`, then one request per line; blank lines between them. */
export function readScenarios(): readonly Scenario[] {
  const folder = new URL("./cases/", import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".txt"));
  return files.sort().flatMap((file) => {
    const text = readFileSync(new URL(file, folder), "utf8").trim();
    const theme = file.replace(/\.txt$/, "").replaceAll("-", " ");
    return text.split(/\n\n+/).map((block) => parseScenario(theme, block));
  });
}

function parseScenario(theme: string, block: string): Scenario {
  const [first = "", ...lines] = block.split("\n");
  if (!first.startsWith("# ")) throw new Error(`a scenario in ${theme} has no title: ${first}`);
  // A long request goes on in the next line, which is indented.
  const whole = lines.join("\n").replaceAll(/\n +/g, "").split("\n");
  return { theme, title: first.slice(2), steps: whole.map(parseStep) };
}
