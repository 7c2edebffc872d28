import { UsageError, type CommandOption, type OptionValues } from "../command.js";
import { yamlOf } from "../output/objects.js";

/** For what is told by the control plane, and is no object that a table could be asked for. */
export const valueOption: CommandOption = {
  flags: "-o, --output <format>",
  summary: "output format: json or yaml",
  values: ["json", "yaml"],
};

/** The form for programs, if one was asked for. */
export function valueFormatOf(options: OptionValues): "json" | "yaml" | undefined {
  const format = options["output"];
  if (format === undefined || format === "") return undefined;
  if (format === "json" || format === "yaml") return format;
  throw new UsageError(`unknown output format ${JSON.stringify(format)}; use json or yaml`);
}

export async function valueText(value: unknown, format: "json" | "yaml"): Promise<string> {
  return format === "json" ? `${JSON.stringify(value, null, 2)}\n` : await yamlOf(value);
}

/** One of many that follow each other: a line of JSON, or a document of YAML. */
export async function itemText(value: unknown, format: "json" | "yaml"): Promise<string> {
  return format === "json" ? `${JSON.stringify(value)}\n` : `---\n${await yamlOf(value)}`;
}

/** A number of an option, whole and within bounds. */
export function countOption(
  options: OptionValues,
  name: string,
  { least = 0, otherwise }: { readonly least?: number; readonly otherwise: number },
): number {
  const text = options[name];
  if (text === undefined || text === true) return otherwise;
  const number = typeof text === "string" && /^\d+$/.test(text) ? Number(text) : NaN;
  if (number >= least && number <= 10_000) return number;
  throw new UsageError(
    `invalid value ${JSON.stringify(text)} for --${name}; use a whole number from ${least} to 10000`,
  );
}
