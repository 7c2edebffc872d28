import { connectionOptions, UsageError, type Command, type OptionValues, type Terminal } from "../command.js";
import { connectWithKinds, refuseSelectionWithNames, selectionOf, selectionOptions } from "../kinds/asked.js";
import { targetsOf } from "../kinds/targets.js";
import { formatOf, outputOption } from "../output/format.js";
import { showObjects } from "./get/show-objects.js";
import { showTables } from "./get/show-tables.js";
import { askedTable } from "./get/asked-table.js";

export const command: Command = {
  arguments: "<kind> [name...]",
  description:
    "Shows objects: all of a kind, or those with the names. KIND is a plural, singular or short name, with the group where it is needed (sites.demo.dev); several are written a,b, and all is everything of note.",
  options: [
    ...connectionOptions,
    ...selectionOptions,
    outputOption,
    { flags: "-w, --watch", summary: "go on showing what changes" },
    { flags: "--watch-only", summary: "show only what changes from now on" },
    { flags: "--show-labels", summary: "with a column for the labels" },
    { flags: "-L, --label-columns <keys>", summary: "with a column for each of these labels" },
    { flags: "--show-kind", summary: "names with their kind" },
    { flags: "--sort-by <path>", summary: "in the order of a field: .metadata.creationTimestamp" },
    { flags: "--no-headers", summary: "without the line of titles" },
    { flags: "--show-managed-fields", summary: "with metadata.managedFields, in yaml and json" },
    { flags: "--ignore-not-found", summary: "an object that is not there is no failure" },
  ],
  examples: [
    ["fettle get sites", "all sites in the namespace"],
    ["fettle get site hello -o yaml", "one of them, with everything"],
    ["fettle get sites,pages -A -l app=web", "two kinds, in all namespaces, by label"],
    ["fettle get sites -w", "go on showing them as they change"],
    ["fettle get sites -o jsonpath='{.items[*].spec.title}'", "only the titles"],
    ["fettle get pages --sort-by .metadata.creationTimestamp", "the oldest first"],
  ],
  run: get,
};

async function get(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
): Promise<number | void> {
  const format = formatOf(options);
  if (words.length === 0) throw new UsageError("say which kind: fettle get KIND, or fettle get all");
  await using server = await connectWithKinds(options, terminal);
  const targets = targetsOf(words, server.kinds);
  const isWatched = options["watch"] === true || options["watchOnly"] === true;
  for (const { names } of targets) refuseSelectionWithNames(options, names);
  if (isWatched && (targets.length > 1 || (targets[0]?.names.length ?? 0) > 1)) {
    throw new UsageError("-w follows one kind, or one object of it");
  }
  const asked = { server, targets, options, terminal, selection: selectionOf(options, server) };
  if (format.type === "table") return await showTables(asked, askedTable(options, format.wide, targets));
  return await showObjects(asked, format);
}
