import { CommanderError } from "commander";
import { UsageError, type Command, type Terminal, type CommandEntry } from "./command/command.js";
import { commandGroups } from "./commands/index.js";
import { errorText } from "./command/error-text.js";
import { nearest } from "./command/nearest.js";
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
    const isUsage = error instanceof UsageError;
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
  const entries = commandGroups.flatMap(({ commands }) => commands);
  const wanted = await entries.find(({ name }) => name === word)?.load();
  if (word !== undefined && wanted === undefined && !word.startsWith("-")) {
    throw new UsageError(unknownCommand(word, entries));
  }
  for (const { title, commands } of commandGroups) {
    for (const { name, summary } of commands) {
      const command = name === word ? wanted : undefined;
      addCommand(program, { name, summary, command, group: `${title}:`, terminal, call });
    }
  }
  return { program, wanted };
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
