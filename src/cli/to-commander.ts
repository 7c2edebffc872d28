import { Command as Commander, Option } from "commander";
import picocolors from "picocolors";
import {
  UsageError,
  type Command,
  type CommandOption,
  type OptionValues,
  type Terminal,
} from "./command/command.js";
import { nearest } from "../model/object/nearest.js";

/** A command with its parsed arguments and options. */
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
  /** Undefined for commands of which only the summary is needed. */
  readonly command: Command | undefined;
  readonly group?: string | undefined;
  readonly terminal: Terminal;
  readonly call: (called: Called) => void;
}

const widest = 100;

export function newProgram(terminal: Terminal): Commander {
  const program = configure(new Commander("fettle"), terminal)
    .usage("<command> [options]")
    .description(
      "A declarative control plane in one package: define a kind, write one function that makes the world match it.",
    )
    .version(terminal.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false);
  return program.addHelpText(
    "after",
    "\nRun fettle <command> --help for its options and examples.\n" +
      "Exit codes: 0 success, 1 failure, 2 invalid usage, 124 timeout, 130 Ctrl-C.",
  );
}

/** Directs output to the terminal, and throws instead of exiting the process. */
function configure(commander: Commander, { stdout, stderr, colors }: Terminal): Commander {
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

/** Rewords commander's usage errors in the style of our own. */
function mistakeText(text: string, commander: Commander): string {
  const path = pathOf(commander);
  const hint = (): string => text.match(/\(Did you mean (?:one of )?(.*)\?\)/)?.[1] ?? "";
  const rewordings: readonly (readonly [RegExp, (...found: readonly string[]) => string])[] = [
    [
      /^error: missing required argument '(.+)'/,
      (name) => `missing argument <${name}>; usage: fettle ${path} ${argumentsText(commander)}`,
    ],
    [
      /^error: unknown option '(.+?)'/,
      (flag) => `unknown option ${flag}${hint() === "" ? "" : `; did you mean ${hint()}?`}`,
    ],
    [/^error: option '(.+)' argument missing/, (flags) => `${flags}: missing value`],
    [
      /^error: option '(?:-\w, )?(--[\w-]+).*' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/m,
      (flag, value, choices) => `invalid value ${JSON.stringify(value)} for ${flag}; use one of ${choices}`,
    ],
    [
      /^error: too many arguments/,
      () => `too many arguments; usage: fettle ${path} ${argumentsText(commander)}`.trimEnd(),
    ],
  ];
  for (const [pattern, reword] of rewordings) {
    const found = pattern.exec(text);
    if (found !== null) return `${reword(...found.slice(1))}\n`;
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
  const commander = configure(parent.command(name), terminal)
    .summary(summary)
    .helpOption("-h, --help", "show this help");
  if (group !== undefined) commander.helpGroup(group);
  if (command === undefined) return;
  commander.description(command.description);
  if (command.arguments !== undefined) commander.arguments(command.arguments);
  for (const option of command.options ?? []) commander.addOption(commanderOption(option));
  const path = pathOf(commander);
  commander.showHelpAfterError(`See fettle ${path} --help`);
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
        const suggestion = nearest(
          word,
          below.map(([name]) => name),
        );
        const hint = suggestion === undefined ? "" : `; did you mean "fettle ${path} ${suggestion}"?`;
        throw new UsageError(
          `unknown command ${JSON.stringify(`${path} ${word}`)}${hint}\nSee fettle ${path} --help`,
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

/** Examples as lines to paste, each followed by its comment, or preceded by it where the line would get too long. */
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

/** Summary of a subcommand in the list of its parent. */
function firstSentence(text: string): string {
  return (text.split(/(?<=\.)\s/)[0] ?? text).replace(/\.$/, "");
}
