import { UsageError, type CommandOption, type OptionValues } from "../command/command.js";
import { compileRelaxedPath, compileTemplate, type Template } from "./json-path-template.js";

/** Output format of objects. */
export type Format =
  | { readonly type: "table"; readonly wide: boolean }
  | { readonly type: "yaml" | "json" | "name" }
  | { readonly type: "jsonpath"; readonly template: Template }
  | { readonly type: "columns"; readonly columns: readonly CustomColumn[] };

interface CustomColumn {
  readonly title: string;
  readonly find: (object: unknown) => readonly unknown[];
}

export const outputOption: CommandOption = {
  flags: "-o, --output <format>",
  summary: "output format: wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=TITLE:PATH,…",
  values: ["wide", "yaml", "json", "name", "jsonpath=", "custom-columns="],
};

/** Parses `-o`. */
export function formatOf(options: OptionValues): Format {
  const text = options["output"];
  if (typeof text !== "string" || text === "") return { type: "table", wide: false };
  const [name = "", ...rest] = text.split("=");
  const argument = rest.join("=");
  switch (name) {
    case "wide":
      return { type: "table", wide: true };
    case "yaml":
    case "json":
    case "name":
      return { type: name };
    case "jsonpath":
      if (argument === "")
        throw new UsageError("missing template; for example -o jsonpath='{.metadata.name}'");
      return { type: "jsonpath", template: compileTemplate(argument) };
    case "custom-columns":
      return { type: "columns", columns: customColumns(argument) };
    default:
      throw new UsageError(
        `unknown output format ${JSON.stringify(text)}; use wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=TITLE:PATH,…`,
      );
  }
}

function customColumns(text: string): readonly CustomColumn[] {
  const columns = text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => {
      const colon = part.indexOf(":");
      if (colon < 1)
        throw new UsageError(
          `invalid column ${JSON.stringify(part)}; use TITLE:PATH, for example NAME:.metadata.name`,
        );
      return { title: part.slice(0, colon), find: compileRelaxedPath(part.slice(colon + 1)) };
    });
  if (columns.length > 0) return columns;
  throw new UsageError("missing columns; for example -o custom-columns=NAME:.metadata.name");
}
