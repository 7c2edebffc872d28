#!/usr/bin/env node
import { readFileSync } from "node:fs";

const words = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve("fettle/package.json")), "utf8")) as {
  readonly version: string;
};

// Loads nothing else, for an immediate response.
if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  process.stdout.write(`${version}\n`);
} else {
  const { processTerminal } = await import("./process-terminal.js");
  const { runCommandLine } = await import("./program.js");
  const { terminal, received, finish } = processTerminal(version);
  await finish(await runCommandLine(words, terminal, received));
}
