import { describe, expect, test } from "vitest";
import { recordingTerminal } from "../../src/cli/fixtures/terminal.js";
import type { Command } from "../../src/cli/command/command.js";
import { commandGroups } from "../../src/cli/commands/index.js";
import { runCommandLine } from "../../src/cli/program.js";
import { fettle } from "./fettle-process.js";

const entries = commandGroups.flatMap(({ commands }) => commands);

const call = async (...words: readonly string[]) => {
  const terminal = recordingTerminal({ columns: 200, env: { FETTLE_DEBUG: "" } });
  const code = await runCommandLine(words, terminal);
  return { code, out: terminal.out(), err: terminal.err() };
};

test.each([[[]], [["--help"]], [["help"]]])("fettle %j lists all commands in their groups", async (words) => {
  const { code, out } = await call(...words);
  expect(code).toBe(0);
  for (const { title } of commandGroups) expect(out).toContain(`\n${title}:\n`);
  for (const { name, summary } of entries) expect(out).toMatch(new RegExp(`  ${name} +${summary}`));
});

describe("every command", () => {
  test.each(entries.map(({ name, load }) => [name, load] as const))(
    "%s has help with examples",
    async (name, load) => {
      await examine(await load(), [name]);
    },
  );

  async function examine(command: Command, path: readonly string[]): Promise<void> {
    const { code, out } = await call(...path, "--help");
    expect(code).toBe(0);
    expect(out).toContain(`Usage: fettle ${path.join(" ")}`);
    expect(out).toContain("Examples:");
    for (const [line] of command.examples) expect(out).toContain(line);
    for (const { flags } of command.options ?? []) expect(out).toContain(flags);
    expect(command.examples.length, path.join(" ")).toBeGreaterThan(0);
    for (const [name, below] of Object.entries(command.commands ?? {})) await examine(below, [...path, name]);
  }
});

test("fettle help COMMAND prints the same as COMMAND --help", async () => {
  expect(await call("help", "up")).toEqual(await call("up", "--help"));
});

test.each([
  [["gte"], 'unknown command "gte"; did you mean "fettle get"?'],
  [["frobnicate"], 'unknown command "frobnicate"\nSee fettle --help'],
  [["completion", "bsh"], 'unknown command "completion bsh"; did you mean "fettle completion bash"?'],
  [["up", "--prot", "1"], "unknown option --prot; did you mean --port?\nSee fettle up --help"],
  [["up", "--log", "loud"], 'invalid value "loud" for --log; use one of pretty, json, none'],
  [["get"], "missing argument <kind>; usage: fettle get <kind> [name...]\nSee fettle get --help"],
  [["get", "sites", "-n"], "-n, --namespace <name>: missing value"],
  [["up", "no-such-file.ts"], "no-such-file.ts does not exist\nSee fettle up --help"],
  [["up", "--port", "many"], '--port: must be an integer from 0 to 65535, not "many"'],
  [["config", "more"], "too many arguments; usage: fettle config"],
  [["top", "more"], "too many arguments; usage: fettle top\n"],
])("fettle %j exits with code 2 and a hint", async (words, message) => {
  const { code, out, err } = await call(...words);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(err).toMatch(/^fettle: /);
  expect(err).toContain(message);
});

test("prints an error on one line, with FETTLE_DEBUG including the stack", async () => {
  const words = ["config", "--config", "missing.yaml"];
  const { err } = await call(...words);
  expect(err).toBe("fettle: cannot read the configuration missing.yaml: it does not exist\n");
  const terminal = recordingTerminal({ env: { FETTLE_DEBUG: "1" } });
  await runCommandLine(words, terminal);
  expect(terminal.err()).toMatch(
    /ConfigError: cannot read the configuration missing\.yaml[\s\S]*\n {4}at [\s\S]*ENOENT/,
  );
});

test("the installed command prints its version, and exits quietly when its output pipe closes", async () => {
  const child = fettle(["--version"]);
  expect(await child.ended).toBe(0);
  expect(child.out()).toMatch(/^\d+\.\d+\.\d+\n$/);
  const unread = fettle(["--help"]);
  unread.process.stdout?.destroy();
  expect(await unread.ended).toBe(0);
  expect(unread.err()).toBe("");
});
