import { Option } from "commander";
import type { Command, CommandOption } from "../command.js";
import { commandGroups } from "../commands.js";

/** A word that could stand next, with a few words about it. */
interface Candidate {
  readonly word: string;
  readonly summary?: string | undefined;
}

/** What could stand next: words, or files as the shell completes them. */
export type Candidates = readonly Candidate[] | "files";

/** Asks the server for what it has; nothing when it does not answer soon. */
export interface Known {
  kinds(): Promise<readonly Candidate[]>;
  names(kind: string): Promise<readonly string[]>;
  /** Those of the kubeconfig, for which no server is asked. */
  contexts(): Promise<readonly string[]>;
}

/** Words for arguments that name files. */
const fileWords = /^(file|folder|module|path)$/i;

/**
 * What could stand in place of the last of the words that follow `fettle`, which may be empty or begun.
 *
 * @example
 * await candidates(["get", "si"], known, terminal); // [{ word: "sites", … }]
 */
export async function candidates(
  words: readonly string[],
  known: (options: Readonly<Record<string, string>>) => Known,
): Promise<Candidates> {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const [name] = before;
  if (name === undefined)
    return begun(last, last.startsWith("-") ? programOptions : [...commandList(), { word: "help" }]);
  if (name === "help") return begun(last, commandList());
  const entry = commandGroups.flatMap(({ commands }) => commands).find((each) => each.name === name);
  if (entry === undefined) return [];
  let { command } = await entry.load();
  let rest = before.slice(1);
  while (command.commands !== undefined) {
    const below: Command | undefined = command.commands[rest[0] ?? ""];
    if (below === undefined) {
      if (rest.length === 0 && !last.startsWith("-")) return begun(last, subcommandList(command));
      break;
    }
    command = below;
    rest = rest.slice(1);
  }
  return inCommand(command, rest, last, known);
}

async function inCommand(
  command: Command,
  before: readonly string[],
  last: string,
  known: (options: Readonly<Record<string, string>>) => Known,
): Promise<Candidates> {
  const options = (command.options ?? []).map((each) => ({ option: each, parsed: new Option(each.flags) }));
  const taking = (word: string | undefined) =>
    options.find(
      ({ parsed }) =>
        word !== undefined &&
        (parsed.required || parsed.optional) &&
        (parsed.long === word || parsed.short === word),
    );
  const given: Record<string, string> = {};
  const operands: string[] = [];
  let waiting: ReturnType<typeof taking>;
  for (const word of before) {
    if (waiting !== undefined) {
      given[waiting.parsed.attributeName()] = word;
      waiting = undefined;
    } else if (!word.startsWith("-")) operands.push(word);
    else {
      const [long, value] = assignment(word) ?? [];
      const option = taking(long);
      if (option !== undefined && value !== undefined) given[option.parsed.attributeName()] = value;
      else waiting = taking(word);
    }
  }
  const [flag, value = ""] = assignment(last) ?? [];
  const assigned = taking(flag);
  if (assigned !== undefined) {
    const values = await valuesOf(assigned.option, value, known(given));
    return values === "files" ? [] : values.map(({ word }) => ({ word: `${flag}=${word}` }));
  }
  if (waiting !== undefined) return valuesOf(waiting.option, last, known(given));
  if (last.startsWith("-")) return begun(last, optionList(command));
  return operand(command, operands, last, known(given));
}

/** `--output=json` as its two parts. */
function assignment(word: string): readonly string[] | undefined {
  return /^(--[^=]+)=(.*)$/s.exec(word)?.slice(1);
}

/** What an option that takes a value could be given. */
async function valuesOf(
  { flags, choices, values }: CommandOption,
  last: string,
  known: Known,
): Promise<Candidates> {
  const listed = choices ?? values;
  if (listed !== undefined) return begun(last, listed.map(asCandidate));
  if (flags.includes("--namespace ")) return begun(last, (await known.names("namespaces")).map(asCandidate));
  if (flags.includes("--context ")) return begun(last, (await known.contexts()).map(asCandidate));
  if (/<(kind|object)>/.test(flags)) return kindOrObject(last, known);
  return /<(file|folder|path)>/.test(flags) ? "files" : [];
}

function asCandidate(word: string): Candidate {
  return { word };
}

/** `si` as a kind, `pages,si` as another one, and `site/he` as an object. */
async function kindOrObject(last: string, known: Known): Promise<readonly Candidate[]> {
  if (last.includes("/")) {
    const [kind = ""] = last.split("/");
    const names = await known.names(kind);
    return begun(
      last,
      names.map((each) => ({ word: `${kind}/${each}` })),
    );
  }
  const before = last.slice(0, last.lastIndexOf(",") + 1);
  const kinds = await known.kinds();
  return begun(
    last,
    kinds.map(({ word, summary }) => ({ word: `${before}${word}`, summary })),
  );
}

async function operand(
  command: Command,
  operands: readonly string[],
  last: string,
  known: Known,
): Promise<Candidates> {
  const all = [...(command.arguments ?? "").matchAll(/[<[]([\w-]+)(\.\.\.)?[>\]]/g)];
  const at = Math.min(operands.length, all.length - 1);
  const [, name = "", repeated] = all[at] ?? [];
  if (all.length === 0 || (operands.length >= all.length && repeated === undefined)) return [];
  if (fileWords.test(name)) return "files";
  if (name === "action") return begun(last, actions);
  if (name === "kind" || name === "object" || last.includes("/")) return kindOrObject(last, known);
  if (name !== "name" || operands.some((each) => each.includes("/"))) {
    return (operands.at(-1) ?? "").includes("/") && repeated !== undefined ? kindOrObject(last, known) : [];
  }
  const taken = new Set(operands);
  const kindWord = operands[all.findIndex(([, each]) => each === "kind" || each === "object")] ?? "";
  const names = (await known.names(kindWord)).filter((each) => !taken.has(each));
  return begun(last, names.map(asCandidate));
}

function begun(last: string, all: readonly Candidate[]): readonly Candidate[] {
  return all.filter(({ word }) => word.startsWith(last));
}

const programOptions: readonly Candidate[] = [
  { word: "--help", summary: "show help" },
  { word: "--version", summary: "print the version" },
];

/** Those of `fettle dead`. */
const actions: readonly Candidate[] = [
  { word: "list", summary: "list dead letters" },
  { word: "retry", summary: "retry dead letters" },
];

function commandList(): readonly Candidate[] {
  return commandGroups.flatMap(({ commands }) =>
    commands.map(({ name, summary }) => ({ word: name, summary })),
  );
}

function subcommandList({ commands = {} }: Command): readonly Candidate[] {
  return Object.entries(commands).map(([word, { description }]) => ({
    word,
    summary: description.split(/(?<=\.)\s/)[0],
  }));
}

function optionList({ options = [] }: Command): readonly Candidate[] {
  const known = options.flatMap(({ flags, summary }) => {
    const { long } = new Option(flags);
    return long ? [{ word: long, summary }] : [];
  });
  return [...known, { word: "--help", summary: "show help" }];
}
