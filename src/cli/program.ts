import { CommanderError } from "commander";
import {
  type Command,
  type CommandEntry,
  type CommandGroup,
  type Terminal,
  UsageError,
} from "./command/command.js";
import { commandGroups } from "./commands/index.js";
import { errorText } from "./command/error-text.js";
import { nearest } from "../model/object/nearest.js";
import { addCommand, newProgram, type Called } from "./to-commander.js";

/**
 * Runs a command line (the arguments after `fettle`) and resolves with the exit code: 0 for success, 2 for invalid usage
 * (unless the command has a `usageCode`), 1 for other failures. `received` returns the exit code of a signal that has arrived, if any.
 */
export async function runCommandLine(
  words: readonly string[],
  terminal: Terminal,
  received: () => number | undefined = () => undefined,
): Promise<number> {
  let called: Called | undefined;
  let usageCode = 2;
  try {
    const args = words[0] === "help" ? [...words.slice(1), "--help"] : words;
    const { program, wanted } = await programFor(args, terminal, (call) => (called = call));
    usageCode = wanted?.usageCode ?? usageCode;
    await program.parseAsync(args.length === 0 ? ["--help"] : [...args], { from: "user" });
    if (called === undefined) return 0;
    const { command, words: rest, options } = called;
    const code = await command.run?.(rest, options, terminal);
    return code ?? received() ?? 0;
  } catch (error) {
    if (error instanceof CommanderError) return isHelp(error) ? 0 : usageCode;
    // The user knows about an interrupt; the error it causes is not printed.
    const signalled = received();
    if (signalled !== undefined && terminal.signal.aborted) return signalled;
    // By its name: the command of an operator may use another copy of this package.
    const isUsage = error instanceof Error && error.name === "UsageError";
    const help = isUsage && called !== undefined ? `\nSee fettle ${called.path} --help` : "";
    terminal.stderr.write(`fettle: ${errorText(error, terminal)}${help}\n`);
    return isUsage || (error instanceof Error && error.name === "ConfigError")
      ? usageCode
      : (called?.command.failureCode ?? 1);
  }
}

/** Loads only the command that is called; the others appear in the list with their summary. */
async function programFor(
  words: readonly string[],
  terminal: Terminal,
  call: (called: Called) => void,
): Promise<{ readonly program: ReturnType<typeof newProgram>; readonly wanted: Command | undefined }> {
  const program = newProgram(terminal);
  const [word] = words;
  const groups = await groupsFor(words, terminal);
  const entries = groups.flatMap(({ commands }) => commands);
  const wanted = await entries.find(({ name }) => name === word)?.load();
  if (word !== undefined && wanted === undefined && !word.startsWith("-")) {
    throw new UsageError(unknownCommand(word, entries));
  }
  for (const { title, commands } of groups) {
    for (const { name, summary } of commands) {
      const command = name === word ? wanted : undefined;
      addCommand(program, { name, summary, command, group: `${title}:`, terminal, call });
    }
  }
  return { program, wanted };
}

/**
 * Groups of commands for a command line. Those of operators are added only for a word that is no core command, or one that can be
 * replaced, and for the list of all commands.
 */
async function groupsFor(words: readonly string[], terminal: Terminal): Promise<readonly CommandGroup[]> {
  const [word] = words;
  const has = (groups: readonly CommandGroup[]): boolean =>
    groups.some(({ commands }) => commands.some(({ name, replaceable }) => name === word && !replaceable));
  if (has(commandGroups)) return commandGroups;
  const { withConfiguredCommands, withRecordedCommands } = await import("./operators/operator-commands.js");
  const recorded = await withRecordedCommands(commandGroups, terminal);
  const isHelp =
    word === undefined || word.startsWith("-") || words.some((each) => /^(-h|--help)$/.test(each));
  if (isHelp || has(recorded)) return recorded;
  // This loads code of the folder: only for a word that is not a typing error either.
  const core = commandGroups.flatMap(({ commands }) => commands).filter(({ replaceable }) => !replaceable);
  if (
    nearest(
      word,
      core.map(({ name }) => name),
    ) !== undefined
  )
    return recorded;
  return withConfiguredCommands(recorded, terminal);
}

function unknownCommand(word: string, entries: readonly CommandEntry[]): string {
  const suggestion = nearest(
    word.toLowerCase(),
    entries.map(({ name }) => name),
  );
  const hint = suggestion === undefined ? "" : `; did you mean "fettle ${suggestion}"?`;
  return `unknown command ${JSON.stringify(word)}${hint}\nSee fettle --help`;
}

const helpCodes = new Set(["commander.help", "commander.helpDisplayed", "commander.version"]);

function isHelp({ code }: CommanderError): boolean {
  return helpCodes.has(code);
}
