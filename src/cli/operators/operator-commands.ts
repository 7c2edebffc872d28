import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Config } from "../../plane/config/config.js";
import type { OperatorDefinition } from "../../plane/operators/define-operator.js";
import type { Log } from "../../runtime/log/log.js";
import { orderOperators } from "../../plane/operators/order-operators.js";
import {
  StartError,
  type Command,
  type CommandEntry,
  type CommandGroup,
  type Terminal,
} from "../command/command.js";
import { readRecord, writeRecord, type RecordedCommand } from "./command-record.js";

type Place = Pick<Terminal, "env" | "cwd" | "signal" | "stderr">;

/** Title of the commands of operators in `fettle --help`. */
const title = "Operators";

/**
 * Groups of commands with those of the operators that were started last in this folder. Reads their record, and loads a module only
 * when its command is loaded.
 */
export async function withRecordedCommands(
  groups: readonly CommandGroup[],
  place: Place,
): Promise<readonly CommandGroup[]> {
  const recorded = readRecord(await dataFolder(place), place.env);
  return withCommands(
    groups,
    recorded.map((each): CommandEntry => {
      const { name, summary } = each;
      return { name, summary, load: () => loadRecorded(each, place) };
    }),
  );
}

/**
 * Groups of commands with those of the modules that fettle.yaml names. Loads these modules, so this is for calls of a command that
 * nothing else has.
 */
export async function withConfiguredCommands(
  groups: readonly CommandGroup[],
  place: Place,
): Promise<readonly CommandGroup[]> {
  const modules = (await configOf(place))?.modules ?? [];
  if (modules.length === 0) return groups;
  const { sortWords } = await import("../modules/sort-words.js");
  const { loadModules } = await import("../modules/load-modules.js");
  const { operators } = await loadModules(sortWords(modules, place.cwd).modules, place);
  return withCommands(
    groups,
    orderOperators([...operators.keys()]).flatMap(({ commands }) => commands),
  );
}

/** Adds a group of commands; they take the place of core commands that can be replaced, and of no others. */
function withCommands(
  groups: readonly CommandGroup[],
  added: readonly CommandEntry[],
): readonly CommandGroup[] {
  const core = groups.flatMap(({ commands }) => commands);
  const allowed = added.filter(({ name }) => core.every((each) => each.name !== name || each.replaceable));
  if (allowed.length === 0) return groups;
  const names = new Set(allowed.map(({ name }) => name));
  const kept = groups.map((group) => ({
    ...group,
    commands: group.commands.filter(({ name }) => !names.has(name)),
  }));
  return [...kept, { title, commands: allowed }];
}

/**
 * Commands of operators, to be recorded.
 *
 * @throws {StartError} for a command that the command line or another operator has.
 */
export function commandsOf(
  operators: ReadonlyMap<OperatorDefinition, string>,
  groups: readonly CommandGroup[],
): readonly RecordedCommand[] {
  const core = new Map(groups.flatMap(({ commands }) => commands).map((each) => [each.name, each]));
  const found = new Map<string, RecordedCommand>();
  for (const [exported, module] of operators) {
    for (const { name: operator, commands } of orderOperators([exported])) {
      for (const { name, summary } of commands) {
        const other = found.get(name);
        if (other !== undefined && other.operator !== operator) {
          throw new StartError(
            `the operators ${other.operator} and ${operator} both have a command ${name}; rename one of them, or start only one operator`,
          );
        }
        if (core.has(name) && core.get(name)?.replaceable !== true) {
          throw new StartError(
            `operator ${operator} has a command ${name}, which is a command of fettle itself; rename it`,
          );
        }
        if (other === undefined) found.set(name, { operator, name, summary, module });
      }
    }
  }
  return [...found.values()];
}

/** Records commands for later calls in this folder. A failure is logged: the operators work without it. */
export async function recordCommands(
  data: string,
  commands: readonly RecordedCommand[],
  log: Log,
  { env }: Pick<Terminal, "env">,
): Promise<void> {
  try {
    await writeRecord(data, commands, env);
  } catch (error) {
    if (commands.length === 0) return;
    const names = commands.map(({ name }) => name).join(", ");
    log.warn(
      { err: error },
      `commands of operators could not be recorded, so fettle does not find: ${names}`,
    );
  }
}

async function loadRecorded({ operator, name, module }: RecordedCommand, place: Place): Promise<Command> {
  const wayOut = `start the control plane again with its present modules: fettle up`;
  if (!existsSync(module)) {
    throw new StartError(
      `the command ${name} is in ${module} (operator ${operator}), which does not exist any more; ${wayOut}`,
    );
  }
  const { loadModules } = await import("../modules/load-modules.js");
  // Compiled modules are cached beside the module: the current folder may be that of somebody else.
  const { operators } = await loadModules([module], { ...pick(place), cwd: dirname(module) });
  const entry = orderOperators([...operators.keys()])
    .find((each) => each.name === operator)
    ?.commands.find((each) => each.name === name);
  if (entry !== undefined) return entry.load();
  throw new StartError(`${module} has no command ${name} of an operator ${operator} any more; ${wayOut}`);
}

/** Without stdin, which a terminal opens when it is read. */
function pick({ env, cwd, signal, stderr }: Place): Place {
  return { env, cwd, signal, stderr };
}

/** Data folder of the environment or of fettle.yaml. Default: `.fettle` in the current folder. */
async function dataFolder(place: Place): Promise<string> {
  const { env, cwd } = place;
  const data = env["FETTLE_DATA"] || (await configOf(place).catch(() => undefined))?.data;
  return resolve(cwd, data ?? ".fettle");
}

/** Configuration; undefined if there is no file. */
async function configOf({ env, cwd }: Place): Promise<Config | undefined> {
  if (!env["FETTLE_CONFIG"] && !existsSync(resolve(cwd, "fettle.yaml"))) return undefined;
  const { loadConfig } = await import("../../plane/config/load-config.js");
  return (await loadConfig({ env, cwd })).config;
}
