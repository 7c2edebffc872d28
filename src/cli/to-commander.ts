import { Command as Commander, Option } from "commander";
import picocolors from "picocolors";
import { UsageError, type Command, type CommandOption, type OptionValues, type Terminal } from "./command.js";
import { nearest } from "./kinds/nearest.js";

/** The command that was asked for, with what it was told. */
export interface Called {
  /** `debug events` */
  readonly path: string;
  readonly command: Command;
  readonly words: readonly string[];
  readonly options: OptionValues;
}

interface Added {
  readonly name: string;
  readonly summary: string;
  /** None when only its line in the list is of interest. */
  readonly command: Command | undefined;
  readonly group?: string | undefined;
  readonly terminal: Terminal;
  readonly call: (called: Called) => void;
}

const widest = 100;

export function newProgram(terminal: Terminal): Commander {
  const program = inStyle(new Commander("fettle"), terminal)
    .usage("<command> [options]")
    .description("Keeps things the way you said they should be: a declarative control plane in one package.")
    .version(terminal.version, "-V, --version", "the version of fettle")
    .helpOption("-h, --help", "what there is, or how to use a command")
    .helpCommand(false);
  return program.addHelpText(
    "after",
    "\nfettle <command> --help shows its options, with examples. Exit codes: 0 all went well, 1 it failed,\n" +
      "2 it was called wrongly, 124 its time was over, 130 it was ended with Ctrl-C.",
  );
}

/** Everything goes to the terminal, and nothing ends the process. */
function inStyle(commander: Commander, { stdout, stderr, colors }: Terminal): Commander {
  const paint = picocolors.createColors(colors);
  const width = Math.min(stdout.columns ?? 80, widest);
  return commander
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(`fettle: ${mistakeText(text, commander)}`),
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      getOutHasColors: () => colors,
      getErrHasColors: () => colors,
    })
    .configureHelp({ styleTitle: (title) => paint.bold(title), sortSubcommands: false })
    .showSuggestionAfterError(true);
}

/** What is wrong with how a command was called, as this program says things. */
function mistakeText(text: string, commander: Commander): string {
  const path = pathOf(commander);
  const hint = (): string => text.match(/\(Did you mean (?:one of )?(.*)\?\)/)?.[1] ?? "";
  const spoken: readonly (readonly [RegExp, (...found: readonly string[]) => string])[] = [
    [
      /^error: missing required argument '(.+)'/,
      (name) => `<${name}> is missing: fettle ${path} ${argumentsText(commander)}`,
    ],
    [
      /^error: unknown option '(.+?)'/,
      (flag) => `there is no option ${flag}${hint() === "" ? "" : `; did you mean ${hint()}?`}`,
    ],
    [/^error: option '(.+)' argument missing/, (flags) => `${flags}: the value is missing`],
    [
      /^error: option '(?:-\w, )?(--[\w-]+).*' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/m,
      (flag, value, choices) => `${flag} ${value} is not known; there are ${choices}`,
    ],
    [
      /^error: too many arguments/,
      () => `too many words; it is called as fettle ${path} ${argumentsText(commander)}`.trimEnd(),
    ],
  ];
  for (const [pattern, say] of spoken) {
    const found = pattern.exec(text);
    if (found !== null) return `${say(...found.slice(1))}\n`;
  }
  return text.replace(/^error: /, "");
}

function argumentsText({ registeredArguments }: Commander): string {
  return registeredArguments
    .map((argument) => {
      const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
      return argument.required ? `<${name}>` : `[${name}]`;
    })
    .join(" ");
}

export function addCommand(
  parent: Commander,
  { name, summary, command, group, terminal, call }: Added,
): void {
  const commander = inStyle(parent.command(name), terminal).summary(summary).helpOption("-h, --help", "this");
  if (group !== undefined) commander.helpGroup(group);
  if (command === undefined) return;
  commander.description(command.description);
  if (command.arguments !== undefined) commander.arguments(command.arguments);
  for (const option of command.options ?? []) commander.addOption(commanderOption(option));
  const path = pathOf(commander);
  commander.showHelpAfterError(`fettle ${path} --help shows how`);
  const examples = examplesText(command, terminal);
  if (examples !== "") commander.addHelpText("after", examples);
  if (command.commands !== undefined) {
    const below = Object.entries(command.commands);
    for (const [name, each] of below) {
      addCommand(commander, {
        name,
        summary: firstSentence(each.description),
        command: each,
        terminal,
        call,
      });
    }
    commander.helpCommand(false);
    if (command.run === undefined) {
      commander.argument("[command]").action((word?: string): never => {
        if (word === undefined) return commander.help();
        const meant = nearest(
          word,
          below.map(([name]) => name),
        );
        const hint = meant === undefined ? "" : `; did you mean "fettle ${path} ${meant}"?`;
        throw new UsageError(
          `there is no command ${JSON.stringify(`${path} ${word}`)}${hint}\nfettle ${path} --help shows all`,
        );
      });
      commander.usage("<command> [options]");
      return;
    }
  }
  commander.action(() => call({ path, command, words: commander.args, options: commander.opts() }));
}

function pathOf(commander: Commander): string {
  const { parent } = commander;
  return parent === null || parent.parent === null
    ? commander.name()
    : `${pathOf(parent)} ${commander.name()}`;
}

function commanderOption({ flags, summary, default: standard, choices, repeated }: CommandOption): Option {
  const option = new Option(flags, summary);
  if (choices !== undefined) option.choices(choices);
  if (standard !== undefined) option.default(standard);
  if (repeated === true) {
    const one = option.parseArg as ((value: string, previous: undefined) => string) | undefined;
    option.argParser((value: string, previous: readonly string[] | undefined) => [
      ...(previous ?? []),
      one === undefined ? value : one(value, undefined),
    ]);
  }
  return option;
}

/** Each line as it is to be pasted, with what it does behind it, or above it when that does not fit. */
function examplesText({ examples }: Command, { stdout, colors }: Terminal): string {
  if (examples.length === 0) return "";
  const paint = picocolors.createColors(colors);
  const longest = Math.max(...examples.map(([line]) => line.length));
  const fits = examples.every(
    ([, does]) => longest + does.length + 6 <= Math.min(stdout.columns ?? 80, widest),
  );
  const lines = examples.map(([line, does]) =>
    fits
      ? `  ${paint.cyan(line)}${" ".repeat(longest - line.length + 2)}${paint.dim(`# ${does}`)}`
      : `  ${paint.dim(`# ${does}`)}\n  ${paint.cyan(line)}`,
  );
  return `\n${paint.bold("Examples:")}\n${lines.join("\n")}`;
}

/** What stands in the list of commands above. */
function firstSentence(text: string): string {
  return (text.split(/(?<=\.)\s/)[0] ?? text).replace(/\.$/, "");
}
