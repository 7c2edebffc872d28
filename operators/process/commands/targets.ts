import {
  resolveObjects,
  UsageError,
  type OptionValues,
  type ServerConnection,
  type Terminal,
} from "fettle/cli";
import { Process, ProcessSet, setLabel, type ProcessObject, type ProcessSetObject } from "../kinds.js";

/** Kinds that commands accept, for completion; a name without a kind is that of a process. */
export const processKinds = ["process", "processset"];

/** Processes and sets that the arguments of a command name. */
export interface Targets {
  readonly processes: readonly ProcessObject[];
  readonly sets: readonly ProcessSetObject[];
}

/**
 * Resolves arguments: `process/web`, `processset/workers`, or `web`, which is a process, or a set if there is no such process.
 * Without arguments, all processes that the options select.
 */
export async function targetsOf(
  words: readonly string[],
  options: OptionValues,
  server: ServerConnection,
  { signal }: Terminal,
): Promise<Targets> {
  if (words.length === 0) {
    const { selection } = await resolveObjects(["processes.process.fettle.dev"], options, server);
    const { items } = await server.client.list(Process, { ...selection, signal });
    return { processes: items, sets: [] };
  }
  const { client, namespace } = server;
  const processes: ProcessObject[] = [];
  const sets: ProcessSetObject[] = [];
  for (const word of words) {
    const [kind, name] = word.includes("/") ? await kindAndName(word, options, server) : [undefined, word];
    const process =
      kind === "ProcessSet" ? undefined : await client.find(Process, { name, namespace }, { signal });
    const set =
      process !== undefined || kind === "Process"
        ? undefined
        : await client.find(ProcessSet, { name, namespace }, { signal });
    if (process !== undefined) processes.push(process);
    else if (set !== undefined) sets.push(set);
    else {
      throw new Error(
        `no ${kind === undefined ? "Process or ProcessSet" : kind} named ${name} in namespace ${namespace}; list them with: fettle ps -A`,
      );
    }
  }
  return { processes, sets };
}

async function kindAndName(
  word: string,
  options: OptionValues,
  server: ServerConnection,
): Promise<readonly [kind: string, name: string]> {
  const [target] = (await resolveObjects([word], options, server)).targets;
  const { kind, names: [name = ""] = [] } = target ?? {};
  if (kind?.kind !== "Process" && kind?.kind !== "ProcessSet") {
    throw new UsageError(`${word} is no process: use process/NAME or processset/NAME`);
  }
  return [kind.kind, name];
}

/** Processes of targets, with those of sets. */
export async function processesOf(
  { processes, sets }: Targets,
  { client }: ServerConnection,
  { signal }: Terminal,
): Promise<readonly ProcessObject[]> {
  const all = [...processes];
  for (const { metadata } of sets) {
    const { items } = await client.list(Process, {
      namespace: metadata.namespace,
      labelSelector: `${setLabel}=${metadata.name}`,
      signal,
    });
    all.push(...items);
  }
  return all;
}
