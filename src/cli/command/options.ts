import { UsageError, type CommandOption, type OptionValues } from "./command.js";

/** Options that choose the server. */
export const kubeconfigOptions: readonly CommandOption[] = [
  {
    flags: "--kubeconfig <file>",
    summary: "kubeconfig file (default: .fettle/kubeconfig in this folder, then as kubectl)",
  },
  { flags: "--context <name>", summary: "context of the kubeconfig" },
];

/** Options of every command that reads or writes objects of a server. */
export const connectionOptions: readonly CommandOption[] = [
  ...kubeconfigOptions,
  { flags: "-n, --namespace <name>", summary: "namespace (default: the context's)" },
];

/** Options of commands that select objects of a kind. */
export const selectionOptions: readonly CommandOption[] = [
  { flags: "-A, --all-namespaces", summary: "in all namespaces" },
  { flags: "-l, --selector <labels>", summary: "label selector, such as app=web,tier!=db" },
  { flags: "--field-selector <fields>", summary: "field selector, such as metadata.name=web" },
];

/** Option of commands that read fettle.yaml. */
export const configOption: CommandOption = {
  flags: "-c, --config <file>",
  summary: "configuration file (default: fettle.yaml, if it exists)",
};

/** Option of commands that register the kinds of modules. */
export const forceDefinitionsOption: CommandOption = {
  flags: "--force-definitions",
  summary:
    "register the kinds even if stored objects violate a new schema, or another field manager owns a definition",
};

/** Value of an option that takes text; undefined when it is not given. */
export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** Values of an option that may be repeated. */
export function listOption(options: OptionValues, name: string): readonly string[] {
  const value = options[name];
  if (Array.isArray(value)) return value as readonly string[];
  return typeof value === "string" ? [value] : [];
}

/** Value of `--wait`, `--wait=true` or `--wait=false`. */
export function flagOption(options: OptionValues, name: string, fallback: boolean): boolean {
  const value = options[name];
  if (value === undefined) return fallback;
  if (typeof value === "boolean") return value;
  if (value === "true" || value === "false") return value === "true";
  throw new UsageError(`invalid value ${JSON.stringify(value)} for --${name}; use true or false`);
}

/** Milliseconds of an option such as `30s`, where a number alone means seconds; undefined when it is not given. */
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

/** Value of an option that takes a whole number from `least` to 10000. */
export function countOption(
  options: OptionValues,
  name: string,
  { least = 0, fallback }: { readonly least?: number; readonly fallback: number },
): number {
  const value = options[name];
  if (value === undefined || value === true) return fallback;
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : NaN;
  if (number >= least && number <= 10_000) return number;
  throw new UsageError(
    `invalid value ${JSON.stringify(value)} for --${name}; use a whole number from ${least} to 10000`,
  );
}
