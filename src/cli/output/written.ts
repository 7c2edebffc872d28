import type { UntypedObject } from "../../client/kinds/kind.js";
import type { CommandOption, Terminal } from "../command/command.js";
import { manifestTitle } from "../manifests/apply-manifest.js";
import type { Format } from "./format.js";
import { printObjects } from "./objects.js";

/** `-o` of commands that write objects. */
export const writtenOption: CommandOption = {
  flags: "-o, --output <format>",
  summary: "output format: name, yaml or json",
  values: ["name", "yaml", "json"],
};

/** Prints one line for each object that was written: `site.demo.dev/hello patched`; with `-o`, the objects. */
export async function printWritten(
  objects: readonly UntypedObject[],
  outcome: string,
  {
    format,
    dryRun,
    terminal: { stdout },
  }: { readonly format: Format; readonly dryRun: boolean; readonly terminal: Pick<Terminal, "stdout"> },
): Promise<void> {
  if (format.type !== "table") {
    stdout.write(
      await printObjects(format, { objects, single: objects.length === 1, titleOf: manifestTitle }),
    );
    return;
  }
  for (const object of objects) {
    stdout.write(`${manifestTitle(object)} ${outcome}${dryRun ? " (dry run)" : ""}\n`);
  }
}
