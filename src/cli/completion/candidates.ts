import { Option } from "commander";
import type { Command, CommandOption, Terminal } from "../command.js";
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
  if (name === undefined) return begun(last, [...commandList(), { word: "help" }]);
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
    } else if (word.startsWith("-")) waiting = taking(word);
    else operands.push(word);
  }
  const [flag, value] = /^(--[^=]+)=(.*)$/s.exec(last)?.slice(1) ?? [];
  const assigned = taking(flag);
  if (assigned !== undefined) {
    const values = valuesOf(assigned.option);
    return values === "files"
      ? []
      : begun(value ?? "", values).map(({ word }) => ({ word: `${flag}=${word}` }));
  }
  if (waiting !== undefined) {
    const values = valuesOf(waiting.option);
    return values === "files" ? "files" : begun(last, values);
  }
  if (last.startsWith("-")) return begun(last, optionList(command));
  return operand(command, operands, last, known(given));
}

/** What an option that takes a value could be given. */
function valuesOf({ flags, choices }: CommandOption): Candidates {
  if (choices !== undefined) return choices.map((word) => ({ word }));
  return /<(file|folder|path)>/.test(flags) ? "files" : [];
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
  const [kind = "", started] = last.includes("/") ? last.split("/") : [];
  if (started !== undefined) {
    return begun(
      last,
      (await known.names(kind)).map((each) => ({ word: `${kind}/${each}` })),
    );
  }
  if (name === "kind" || name === "object") return begun(last, await known.kinds());
  const before = operands.at(-1) ?? "";
  if (name !== "name" || operands.some((each) => each.includes("/"))) {
    return before.includes("/") ? begun(last, await known.kinds()) : [];
  }
  const taken = new Set(operands);
  const kindWord = operands[all.findIndex(([, each]) => each === "kind" || each === "object")] ?? "";
  const names = (await known.names(kindWord)).filter((each) => !taken.has(each));
  return begun(
    last,
    names.map((word) => ({ word })),
  );
}

function begun(last: string, all: readonly Candidate[] | "files"): readonly Candidate[] {
  return all === "files" ? [] : all.filter(({ word }) => word.startsWith(last));
}

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
  return [...known, { word: "--help", summary: "how to use it" }];
}

/** How long a shell waits for a server, in milliseconds: who presses Tab waits too. */
const patience = 800;

/** Asks the server that the options name. */
export function askServer(options: Readonly<Record<string, string>>, terminal: Terminal): Known {
  const quietly: Terminal = {
    stdout: terminal.stdout,
    stderr: { write: () => true },
    stdin: { async *[Symbol.asyncIterator]() {} },
    env: terminal.env,
    cwd: terminal.cwd,
    signal: terminal.signal,
    colors: false,
    version: terminal.version,
  };
  const asking = async <T>(
    ask: (server: Awaited<ReturnType<typeof reach>>, signal: AbortSignal) => Promise<readonly T[]>,
  ): Promise<readonly T[]> => {
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(patience)]);
    try {
      await using server = await reach(options, quietly, signal);
      return await ask(server, signal);
    } catch {
      return [];
    }
  };
  return {
    kinds: () =>
      asking(async ({ served }) => {
        const listed = served.filter(({ verbs }) => verbs.includes("list"));
        return [
          ...new Map(listed.map(({ plural, kind }) => [plural, { word: plural, summary: kind }])).values(),
        ];
      }),
    names: (word) =>
      asking(async ({ client, namespace, served }, signal) => {
        const { findKind } = await import("../kinds/find-kind.js");
        const kind = findKind(served, word);
        const where = kind.scope === "Cluster" ? {} : { namespace };
        const { items } = await client.list(kind, { ...where, limit: 500, metadataOnly: true, signal });
        return items.map(({ metadata }) => metadata.name ?? "");
      }),
  };
}

async function reach(options: Readonly<Record<string, string>>, terminal: Terminal, signal: AbortSignal) {
  const { connect } = await import("../connect.js");
  const { servedKinds } = await import("../kinds/served-kinds.js");
  const connected = await connect(options, terminal);
  try {
    const served = await servedKinds(connected.transport, signal);
    return { ...connected, served };
  } catch (error) {
    await connected[Symbol.asyncDispose]();
    throw error;
  }
}
