import { Option } from "commander";
import type { Command, CommandOption, CommandGroup, CommandEntry } from "../command/command.js";

/** A word that completes the command line, with a summary. */
interface Candidate {
  readonly word: string;
  readonly summary?: string | undefined;
}

/** Candidates: words, or files as the shell completes them. */
export type Candidates = readonly Candidate[] | "files";

/** Kinds, objects and contexts to complete with; empty lists when the server does not respond soon. */
export interface CompletionServer {
  kinds(): Promise<readonly Candidate[]>;
  names(kind: string): Promise<readonly string[]>;
  /** Contexts of the kubeconfig; no request to the server. */
  contexts(): Promise<readonly string[]>;
}

/** Server that the options of the command line name. */
type ServerFor = (options: Readonly<Record<string, string>>) => CompletionServer;

/** Names of arguments that take files. */
const fileWords = /^(file|folder|module|path)$/i;

/**
 * Candidates for the last of the words that follow `fettle`, which may be empty or incomplete.
 *
 * @example
 * await candidates(["get", "si"], commandGroups, serverOf); // [{ word: "sites", … }]
 */
export async function candidates(
  words: readonly string[],
  groups: readonly CommandGroup[],
  serverOf: ServerFor,
): Promise<Candidates> {
  const entries = groups.flatMap(({ commands }) => commands);
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const [name] = before;
  if (name === undefined)
    return startingWith(
      last,
      last.startsWith("-") ? programOptions : [...commandList(entries), { word: "help" }],
    );
  if (name === "help") return startingWith(last, commandList(entries));
  const entry = entries.find((each) => each.name === name);
  if (entry === undefined) return [];
  let command = await entry.load();
  let rest = before.slice(1);
  while (command.commands !== undefined) {
    const below: Command | undefined = command.commands[rest[0] ?? ""];
    if (below === undefined) {
      if (rest.length === 0 && !last.startsWith("-")) return startingWith(last, subcommandList(command));
      break;
    }
    command = below;
    rest = rest.slice(1);
  }
  return inCommand(command, rest, last, serverOf);
}

async function inCommand(
  command: Command,
  before: readonly string[],
  last: string,
  serverOf: ServerFor,
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
    const values = await valuesOf(assigned.option, value, serverOf(given));
    return values === "files" ? [] : values.map(({ word }) => ({ word: `${flag}=${word}` }));
  }
  if (waiting !== undefined) return valuesOf(waiting.option, last, serverOf(given));
  if (last.startsWith("-")) return startingWith(last, optionList(command));
  return operand(command, operands, last, serverOf(given));
}

/** Splits `--output=json`. */
function assignment(word: string): readonly string[] | undefined {
  return /^(--[^=]+)=(.*)$/s.exec(word)?.slice(1);
}

/** Candidates for the value of an option. */
async function valuesOf(
  { flags, choices, values }: CommandOption,
  last: string,
  server: CompletionServer,
): Promise<Candidates> {
  const listed = choices ?? values;
  if (listed !== undefined) return startingWith(last, listed.map(asCandidate));
  if (flags.includes("--namespace "))
    return startingWith(last, (await server.names("namespaces")).map(asCandidate));
  if (flags.includes("--context ")) return startingWith(last, (await server.contexts()).map(asCandidate));
  if (/<(kind|object)>/.test(flags)) return kindOrObject(last, server);
  return /<(file|folder|path)>/.test(flags) ? "files" : [];
}

function asCandidate(word: string): Candidate {
  return { word };
}

/** Candidates for `si` (a kind), `pages,si` (another kind) and `site/he` (an object). */
async function kindOrObject(last: string, server: CompletionServer): Promise<readonly Candidate[]> {
  if (last.includes("/")) {
    const [kind = ""] = last.split("/");
    const names = await server.names(kind);
    return startingWith(
      last,
      names.map((each) => ({ word: `${kind}/${each}` })),
    );
  }
  const before = last.slice(0, last.lastIndexOf(",") + 1);
  const kinds = await server.kinds();
  return startingWith(
    last,
    kinds.map(({ word, summary }) => ({ word: `${before}${word}`, summary })),
  );
}

async function operand(
  command: Command,
  operands: readonly string[],
  last: string,
  server: CompletionServer,
): Promise<Candidates> {
  const all = [...(command.arguments ?? "").matchAll(/[<[]([\w-]+)(\.\.\.)?[>\]]/g)];
  const at = Math.min(operands.length, all.length - 1);
  const [, name = "", repeated] = all[at] ?? [];
  if (all.length === 0 || (operands.length >= all.length && repeated === undefined)) return [];
  if (fileWords.test(name)) return "files";
  if (name === "action") return startingWith(last, actions);
  if (name === "object" && command.kinds !== undefined && !last.includes("/")) {
    return objectsOf(command.kinds, operands, last, server);
  }
  if (name === "kind" || name === "object" || last.includes("/")) return kindOrObject(last, server);
  if (name !== "name" || operands.some((each) => each.includes("/"))) {
    return (operands.at(-1) ?? "").includes("/") && repeated !== undefined ? kindOrObject(last, server) : [];
  }
  const given = new Set(operands);
  const kindWord = operands[all.findIndex(([, each]) => each === "kind" || each === "object")] ?? "";
  const names = (await server.names(kindWord)).filter((each) => !given.has(each));
  return startingWith(last, names.map(asCandidate));
}

/** Candidates for objects of some kinds: `web` for one of the first kind, and `processset/workers`. */
async function objectsOf(
  kinds: readonly string[],
  operands: readonly string[],
  last: string,
  server: CompletionServer,
): Promise<readonly Candidate[]> {
  const given = new Set(operands);
  const found = await Promise.all(
    kinds.map(async (kind, index) =>
      (await server.names(kind)).flatMap((name) => {
        const word = `${kind}/${name}`;
        if (index > 0) return [word];
        return last !== "" && kind.startsWith(last) ? [name, word] : [name];
      }),
    ),
  );
  return startingWith(
    last,
    found
      .flat()
      .filter((word) => !given.has(word))
      .map(asCandidate),
  );
}

function startingWith(last: string, all: readonly Candidate[]): readonly Candidate[] {
  return all.filter(({ word }) => word.startsWith(last));
}

const programOptions: readonly Candidate[] = [
  { word: "--help", summary: "show help" },
  { word: "--version", summary: "print the version" },
];

/** Actions of `fettle dead`. */
const actions: readonly Candidate[] = [
  { word: "list", summary: "list dead letters" },
  { word: "retry", summary: "retry dead letters" },
];

function commandList(entries: readonly CommandEntry[]): readonly Candidate[] {
  return entries.map(({ name, summary }) => ({ word: name, summary }));
}

function subcommandList({ commands = {} }: Command): readonly Candidate[] {
  return Object.entries(commands).map(([word, { description }]) => ({
    word,
    summary: description.split(/(?<=\.)\s/)[0],
  }));
}

function optionList({ options = [] }: Command): readonly Candidate[] {
  const all = options.flatMap(({ flags, summary }) => {
    const { long } = new Option(flags);
    return long ? [{ word: long, summary }] : [];
  });
  return [...all, { word: "--help", summary: "show help" }];
}
