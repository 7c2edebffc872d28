import type { UntypedObject } from "../../client/kinds/kind.js";
import { UsageError, type Command, type OptionValues } from "../command/command.js";
import { connectionOptions, selectionOptions } from "../command/options.js";
import { rethrowNotFound } from "../objects/not-found.js";
import { resolveObjects } from "../objects/resolve-objects.js";
import { formatOf } from "../output/format.js";
import { printWritten, writtenOption } from "../output/written.js";
import { connect } from "../server/connect.js";

export const label = commandFor({
  field: "labels",
  verb: "label",
  outcome: "labeled",
  description: "Set or remove labels of objects: KEY=VALUE sets one, KEY- removes it.",
});

export const annotate = commandFor({
  field: "annotations",
  verb: "annotate",
  outcome: "annotated",
  description: "Set or remove annotations of objects: KEY=VALUE sets one, KEY- removes it.",
});

interface Editing {
  readonly field: "labels" | "annotations";
  readonly verb: string;
  readonly outcome: string;
  readonly description: string;
}

function commandFor({ field, verb, outcome, description }: Editing): Command {
  return {
    arguments: "<kind> [name...]",
    description,
    options: [
      ...connectionOptions,
      ...selectionOptions,
      { flags: "--all", summary: "all objects of the kind in the namespace" },
      { flags: "--overwrite", summary: "replace values that are set" },
      { flags: "--dry-run", summary: "validate on the server without changing anything" },
      writtenOption,
    ],
    examples: [
      [`fettle ${verb} site hello tier=front`, "set one"],
      [`fettle ${verb} site/hello tier=back owner- --overwrite`, "replace one and remove another"],
      [`fettle ${verb} sites --all checked=today`, "for all sites of the namespace"],
    ],
    async run(words, options, terminal) {
      const format = formatOf(options);
      const { objects: named, changes } = splitWords(words, verb);
      const { signal } = terminal;
      const dryRun = options["dryRun"] === true;
      await using server = await connect(options, terminal);
      const { client } = server;
      const { targets, selection } = await resolveObjects(named, options, server);
      const found: UntypedObject[] = [];
      for (const { kind, names } of targets) {
        const { namespace } = server;
        for (const name of names)
          found.push(
            await client.get(kind, { name, namespace }, { signal }).catch(rethrowNotFound(kind, namespace)),
          );
        if (names.length > 0) continue;
        refuseUnselected(options, kind.plural);
        found.push(...(await client.list(kind, { ...selection, signal })).items);
      }
      for (const object of found) {
        if (options["overwrite"] !== true) refuseOverwrite(object, field, changes);
      }
      const written: UntypedObject[] = [];
      for (const object of found) {
        const { name = "", namespace } = object.metadata;
        const patch = { metadata: { [field]: changes } };
        const writing = { dryRun, signal, fieldManager: `fettle-${verb}` };
        written.push(await client.patch(object, { name, namespace }, patch, writing));
      }
      if (written.length === 0) terminal.stderr.write("No objects found.\n");
      else await printWritten(written, outcome, { format, dryRun, terminal });
    },
  };
}

/** Separates `KIND NAME…` from `KEY=VALUE` and `KEY-`, which are null. */
function splitWords(
  words: readonly string[],
  verb: string,
): { readonly objects: readonly string[]; readonly changes: Readonly<Record<string, string | null>> } {
  const isChange = (word: string): boolean => /^[^=]+=/.test(word) || /^[^=]+-$/.test(word);
  const changes: Record<string, string | null> = {};
  for (const word of words.slice(1).filter(isChange)) {
    const [key = "", ...rest] = word.split("=");
    if (rest.length > 0) changes[key] = rest.join("=");
    else changes[word.slice(0, -1)] = null;
  }
  if (Object.keys(changes).length === 0)
    throw new UsageError(`nothing to change; for example: fettle ${verb} site hello tier=front`);
  return { objects: words.filter((word, at) => at === 0 || !isChange(word)), changes };
}

function refuseUnselected({ all, selector, fieldSelector }: OptionValues, plural: string): void {
  if (all === true || selector !== undefined || fieldSelector !== undefined) return;
  throw new UsageError(`missing names of ${plural}; give names, -l LABELS, or --all`);
}

function refuseOverwrite(
  { kind, metadata }: UntypedObject,
  field: Editing["field"],
  changes: Readonly<Record<string, string | null>>,
): void {
  for (const [key, value] of Object.entries(changes)) {
    const now = metadata[field]?.[key];
    if (value === null || now === undefined || now === value) continue;
    throw new Error(`${kind} ${metadata.name ?? ""} has ${key}=${now} already; replace it with --overwrite`);
  }
}
