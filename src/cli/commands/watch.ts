import type { UntypedObject } from "../../client/kinds/kind.js";
import { diff, renderDiff } from "../../model/core.js";
import { UsageError, type Command } from "../command/command.js";
import { selectionOptions, connectionOptions } from "../command/options.js";
import { titleOf } from "../objects/find-kind.js";
import { follow, type FollowedChange } from "../objects/follow.js";
import type { ServedKind } from "../server/served-kinds.js";
import { printableObject } from "../output/objects.js";
import { Reconnection } from "../server/reconnection.js";
import { connect } from "../server/connect.js";
import { resolveObjects, selectTarget } from "../objects/resolve-objects.js";

export const command: Command = {
  arguments: "<kind> [name]",
  description:
    "Show changes of objects as they happen, as diffs. To see the objects in a table instead: fettle get -w",
  options: [
    ...connectionOptions,
    ...selectionOptions,
    { flags: "--context-lines <number>", summary: "number of unchanged lines around a change", default: "1" },
    {
      flags: "-o, --output <format>",
      summary: "json: one document per line, with type, object and changes",
      choices: ["json"],
    },
  ],
  examples: [
    ["fettle watch sites", "changes of all sites in the namespace"],
    ["fettle watch site hello", "changes of one site"],
    ["fettle watch sites,pages -A", "two kinds in all namespaces"],
    ["fettle watch sites -o json | jq .type", "for scripts"],
  ],
  async run(words, options, terminal) {
    const context = Number(options["contextLines"] ?? 1);
    if (!Number.isInteger(context) || context < 0)
      throw new UsageError("invalid --context-lines; use a number, 0 or more");
    await using server = await connect(options, terminal);
    const { targets, selection } = await resolveObjects(words, options, server);
    const asJson = options["output"] === "json";
    const picocolors = (await import("picocolors")).default.createColors(terminal.colors);
    const paint = { ADDED: picocolors.green, MODIFIED: picocolors.yellow, DELETED: picocolors.red };
    const show = (kind: ServedKind, change: FollowedChange): void => {
      if (asJson) return void terminal.stdout.write(`${jsonLine(change)}\n`);
      const { type, object, before } = change;
      const { name, namespace } = object.metadata;
      const where = selection.namespace === undefined && namespace !== undefined ? ` in ${namespace}` : "";
      const time = new Date().toTimeString().slice(0, 8);
      const word = { ADDED: "created", MODIFIED: "changed", DELETED: "deleted" }[type];
      terminal.stdout.write(
        `${picocolors.dim(time)} ${titleOf(kind, name)}${where} ${paint[type](word)}\n${bodyOf(type, before, object, context, terminal.colors)}`,
      );
    };
    const reconnection = new Reconnection(terminal);
    await Promise.all(
      targets.map(async (target) => {
        const { kind, names } = target;
        if (names.length > 1)
          throw new UsageError("too many names; give one, or none for all objects of the kind");
        const [name] = names;
        const onStart = (found: readonly UntypedObject[]): void => {
          const what =
            name === undefined
              ? found.length === 1
                ? `1 ${kind.singular}`
                : `${found.length} ${kind.plural}`
              : titleOf(kind, name);
          const missing = name !== undefined && found.length === 0 ? " (not found yet)" : "";
          if (!asJson) terminal.stderr.write(`Watching ${what}${missing}. Stop with Ctrl-C.\n`);
        };
        const selected = selectTarget(target, selection);
        const where = { ...selected, signal: terminal.signal, onStart, reconnection };
        for await (const change of follow(server.client, kind, where)) show(kind, change);
      }),
    );
  },
};

/** Fields that change with every write. */
const ignore = ["metadata.managedFields", "metadata.resourceVersion"];

function bodyOf(
  type: FollowedChange["type"],
  before: UntypedObject | undefined,
  object: UntypedObject,
  context: number,
  color: boolean,
): string {
  if (type === "DELETED") return "";
  const from = type === "ADDED" ? undefined : before;
  const text = renderDiff(from, object, { color, context, ignore });
  return text === "" ? "" : `${text.replaceAll(/^/gm, "  ")}\n`;
}

function jsonLine({ type, object, before }: FollowedChange): string {
  const changes = before === undefined || type !== "MODIFIED" ? undefined : diff(before, object, { ignore });
  return JSON.stringify({ type, object: printableObject(object), changes });
}
