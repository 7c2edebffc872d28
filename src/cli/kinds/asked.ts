import { parseFieldSelector, parseLabelSelector } from "../../model/core.js";
import { UsageError, type CommandOption, type OptionValues, type Terminal } from "../command.js";
import { connect, type Connected } from "../connect.js";
import { servedKinds, type ServedKind } from "./served-kinds.js";

/** A server with the kinds it has. */
export interface Served extends Connected {
  readonly kinds: readonly ServedKind[];
}

/** Reaches the server and asks which kinds it has. */
export async function connectWithKinds(options: OptionValues, terminal: Terminal): Promise<Served> {
  const connected = await connect(options, terminal);
  try {
    const kinds = await connected.waitedFor(servedKinds(connected.transport, terminal.signal));
    return { ...connected, kinds };
  } catch (error) {
    await connected[Symbol.asyncDispose]();
    throw error;
  }
}

export const selectionOptions: readonly CommandOption[] = [
  { flags: "-A, --all-namespaces", summary: "in all namespaces" },
  { flags: "-l, --selector <labels>", summary: "label selector, such as app=web,tier!=db" },
  { flags: "--field-selector <fields>", summary: "field selector, such as metadata.name=web" },
];

/** Which objects of a kind are meant, as far as options say it. */
export interface AskedSelection {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
}

export function selectionOf(options: OptionValues, { namespace }: Connected): AskedSelection {
  check("-l", textOption(options, "selector"), parseLabelSelector);
  check("--field-selector", textOption(options, "fieldSelector"), parseFieldSelector);
  return {
    namespace: options["allNamespaces"] === true ? undefined : namespace,
    labelSelector: textOption(options, "selector"),
    fieldSelector: textOption(options, "fieldSelector"),
  };
}

/** A server would say what is wrong too, but not with which option. */
function check(flag: string, text: string | undefined, parse: (text: string) => unknown): void {
  try {
    if (text !== undefined) parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`invalid selector for ${flag}: ${JSON.stringify(text)}: ${why}`);
  }
}

/** Selectors choose among all; names have chosen already. */
export function refuseSelectionWithNames(options: OptionValues, names: readonly string[]): void {
  if (names.length === 0) return;
  for (const [name, flag] of [
    ["selector", "-l"],
    ["fieldSelector", "--field-selector"],
    ["all", "--all"],
  ] as const) {
    if (options[name]) throw new UsageError(`${flag} cannot be combined with names`);
  }
  if (options["allNamespaces"] === true) {
    throw new UsageError("-A cannot be combined with names");
  }
}

export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** An option that can be given several times, or once with commas. */
export function listOption(options: OptionValues, name: string): readonly string[] {
  const value = options[name];
  if (Array.isArray(value)) return value as readonly string[];
  return typeof value === "string" ? [value] : [];
}

/** `--wait`, `--wait=true`, `--wait=false`. */
export function flagOption(options: OptionValues, name: string, fallback: boolean): boolean {
  const value = options[name];
  if (value === undefined) return fallback;
  if (typeof value === "boolean") return value;
  if (value === "true" || value === "false") return value === "true";
  throw new UsageError(`invalid value ${JSON.stringify(value)} for --${name}; use true or false`);
}

/** A span of time; undefined when none was given. */
export async function durationOption(options: OptionValues, name: string): Promise<number | undefined> {
  const value = textOption(options, name);
  if (value === undefined) return undefined;
  const { duration } = await import("../../model/time/duration.js");
  try {
    return duration(/^\d+$/.test(value) ? `${value}s` : value);
  } catch (error) {
    throw new UsageError(`--${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
