import { describe, expect, test } from "vitest";
import { recordingTerminal } from "../../src/cli/fixtures/terminal.js";
import type { Command } from "../../src/cli/command.js";
import { commandGroups } from "../../src/cli/commands.js";
import { runCommandLine } from "../../src/cli/program.js";
import { fettle } from "./fettle-process.js";

const entries = commandGroups.flatMap(({ commands }) => commands);

const call = async (...words: readonly string[]) => {
  const terminal = recordingTerminal({ columns: 200, env: { FETTLE_DEBUG: "" } });
  const code = await runCommandLine(words, terminal);
  return { code, out: terminal.out(), err: terminal.err() };
};

test.each([[[]], [["--help"]], [["help"]]])("fettle %j shows all commands in their groups", async (words) => {
  const { code, out } = await call(...words);
  expect(code).toBe(0);
  for (const { title } of commandGroups) expect(out).toContain(`\n${title}:\n`);
  for (const { name, summary } of entries) expect(out).toMatch(new RegExp(`  ${name} +${summary}`));
});

describe("every command", () => {
  test.each(entries.map(({ name, load }) => [name, load] as const))(
    "%s has help with examples",
    async (name, load) => {
      const { command } = await load();
      await examine(command, [name]);
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

test("help about a command is its --help", async () => {
  expect(await call("help", "up")).toEqual(await call("up", "--help"));
});

test.each([
  [["gte"], 'there is no command "gte"; did you mean "fettle get"?'],
  [["frobnicate"], 'there is no command "frobnicate"\nfettle --help shows all'],
  [["completion", "bsh"], 'there is no command "completion bsh"; did you mean "fettle completion bash"?'],
  [["up", "--prot", "1"], "there is no option --prot; did you mean --port?\nfettle up --help shows how"],
  [["up", "--log", "loud"], "--log loud is not known; there are pretty, json, none"],
  [["get"], "<kind> is missing: fettle get <kind> [name...]\nfettle get --help shows how"],
  [["get", "sites", "-n"], "-n, --namespace <name>: the value is missing"],
  [["up", "no-such-file.ts"], "no-such-file.ts does not exist\nfettle up --help shows how"],
  [["up", "--port", "many"], '--port: must be an integer from 0 to 65535, not "many"'],
  [["config", "more"], "too many words; it is called as fettle config"],
  [["top", "more"], "too many words; it is called as fettle top\n"],
])("fettle %j is told apart, with code 2", async (words, message) => {
  const { code, out, err } = await call(...words);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(err).toMatch(/^fettle: /);
  expect(err).toContain(message);
});

test("an error is a line, and with FETTLE_DEBUG all there is", async () => {
  const words = ["config", "--config", "missing.yaml"];
  const { err } = await call(...words);
  expect(err).toBe("fettle: cannot read the configuration missing.yaml: it does not exist\n");
  const terminal = recordingTerminal({ env: { FETTLE_DEBUG: "1" } });
  await runCommandLine(words, terminal);
  expect(terminal.err()).toMatch(
    /ConfigError: cannot read the configuration missing\.yaml[\s\S]*\n {4}at [\s\S]*ENOENT/,
  );
});

test("the command as users have it answers with its version, and ends quietly when nobody reads", async () => {
  const asked = fettle(["--version"]);
  expect(await asked.ended).toBe(0);
  expect(asked.out()).toMatch(/^\d+\.\d+\.\d+\n$/);
  const unread = fettle(["--help"]);
  unread.process.stdout?.destroy();
  expect(await unread.ended).toBe(0);
  expect(unread.err()).toBe("");
});
