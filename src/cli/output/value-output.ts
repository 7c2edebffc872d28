import { UsageError, type CommandOption, type OptionValues, type Terminal } from "../command/command.js";
import { yamlOf } from "./objects.js";

/** `-o` of commands whose output is not a list of objects. */
export const valueOption: CommandOption = {
  flags: "-o, --output <format>",
  summary: "output format: json or yaml",
  values: ["json", "yaml"],
};

/** Format of the output for programs; undefined for people. */
export type ValueFormat = "json" | "yaml" | undefined;

export function valueFormatOf(options: OptionValues): ValueFormat {
  const format = options["output"];
  if (format === undefined || format === "") return undefined;
  if (format === "json" || format === "yaml") return format;
  throw new UsageError(`unknown output format ${JSON.stringify(format)}; use json or yaml`);
}

/** Writes a value as JSON or YAML, or as the text for people. */
export async function printValue(
  { stdout }: Pick<Terminal, "stdout">,
  format: ValueFormat,
  value: unknown,
  text: () => string,
): Promise<void> {
  if (format === undefined) stdout.write(text());
  else stdout.write(format === "json" ? `${JSON.stringify(value, null, 2)}\n` : await yamlOf(value));
}

/** Writes one value of a stream: a line of JSON, a document of YAML, or the text for people. */
export async function writeItem(
  { stdout }: Pick<Terminal, "stdout">,
  format: ValueFormat,
  value: unknown,
  text: () => string,
): Promise<void> {
  if (format === undefined) stdout.write(text());
  else stdout.write(await itemText(value, format));
}

/** One value of a stream as a line of JSON or a document of YAML. */
export async function itemText(value: unknown, format: "json" | "yaml"): Promise<string> {
  return format === "json" ? `${JSON.stringify(value)}\n` : `---\n${await yamlOf(value)}`;
}
