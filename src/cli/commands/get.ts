import { UsageError, type Command } from "../command/command.js";
import { selectionOptions, connectionOptions } from "../command/options.js";
import { formatOf, outputOption } from "../output/format.js";
import { showObjects } from "./get/show-objects.js";
import { showTables } from "./get/show-tables.js";
import { connect } from "../server/connect.js";
import type { ServedKind } from "../server/served-kinds.js";
import { isCustomKind } from "../objects/held-objects.js";
import { resolveObjects, type NamedObjects } from "../objects/resolve-objects.js";

export const command: Command = {
  arguments: "<kind> [name...]",
  description:
    "List the objects of a kind, or show objects by name. KIND is a plural, singular or short name, if ambiguous with its group (sites.demo.dev). Separate several kinds by commas; all stands for the kinds in the category all and all kinds of CustomResourceDefinitions.",
  options: [
    ...connectionOptions,
    ...selectionOptions,
    outputOption,
    { flags: "-w, --watch", summary: "show objects, then changes as they happen" },
    { flags: "--watch-only", summary: "show only changes as they happen" },
    { flags: "--show-labels", summary: "add a column with all labels" },
    { flags: "-L, --label-columns <keys>", summary: "add a column for each of these labels" },
    { flags: "--show-kind", summary: "prefix names with their kind" },
    { flags: "--sort-by <path>", summary: "sort by a field, such as .metadata.creationTimestamp" },
    { flags: "--no-headers", summary: "omit the header line" },
    { flags: "--show-managed-fields", summary: "include metadata.managedFields in yaml and json" },
    { flags: "--ignore-not-found", summary: "succeed if an object does not exist" },
  ],
  examples: [
    ["fettle get sites", "all sites in the namespace"],
    ["fettle get site hello -o yaml", "one site as YAML"],
    ["fettle get sites,pages -A -l app=web", "two kinds in all namespaces, by label"],
    ["fettle get sites -w", "show changes as they happen"],
    ["fettle get sites -o jsonpath='{.items[*].spec.title}'", "only the titles"],
    ["fettle get pages --sort-by .metadata.creationTimestamp", "oldest first"],
  ],
  async run(words, options, terminal) {
    const format = formatOf(options);
    if (words.length === 0) throw new UsageError("missing kind: fettle get KIND, or fettle get all");
    await using server = await connect(options, terminal);
    const { targets: named, selection } = await resolveObjects(words, options, server);
    const targets = isAll(words) ? withCustomKinds(named, await server.kinds()) : named;
    const isWatched = options["watch"] === true || options["watchOnly"] === true;
    if (isWatched && (targets.length > 1 || (targets[0]?.names.length ?? 0) > 1)) {
      throw new UsageError("-w takes one kind, or one object");
    }
    const request = { server, targets, selection, options, terminal };
    return format.type === "table"
      ? await showTables(request, format.wide)
      : await showObjects(request, format);
  },
};

function isAll(words: readonly string[]): boolean {
  return words.length === 1 && words[0]?.toLowerCase() === "all";
}

/** Adds the kinds of definitions: few of them are in the category all, which is for workloads. */
function withCustomKinds(
  targets: readonly NamedObjects[],
  served: readonly ServedKind[],
): readonly NamedObjects[] {
  const all = [...targets];
  for (const kind of served) {
    // The preferred version of a kind comes first.
    const isThere = all.some((each) => each.kind.group === kind.group && each.kind.plural === kind.plural);
    if (isCustomKind(kind) && kind.verbs.includes("list") && !isThere) all.push({ kind, names: [] });
  }
  return all;
}
