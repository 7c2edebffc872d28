import { asApiError } from "../../model/core.js";
import { UsageError, type Command } from "../command/command.js";
import { selectionOptions, connectionOptions } from "../command/options.js";
import { childrenOf } from "../objects/children.js";
import type { ServedKind } from "../server/served-kinds.js";
import { description } from "../output/description.js";
import { startProgress } from "../terminal/progress.js";
import type { UntypedObject } from "../../client/kinds/kind.js";
import { connect } from "../server/connect.js";
import { resolveObjects, getObject } from "../objects/resolve-objects.js";
import { listEvents } from "../objects/events.js";
import { isCustomKind, readHeldObjects } from "../objects/held-objects.js";

export const command: Command = {
  arguments: "<kind> [name...]",
  description:
    "Show objects in detail: metadata, spec, status, conditions, owners, owned objects and events.",
  options: [
    ...connectionOptions,
    ...selectionOptions,
    { flags: "--no-children", summary: "omit owned objects" },
    { flags: "--no-events", summary: "omit events" },
  ],
  examples: [
    ["fettle describe site hello", "one site in detail"],
    ["fettle describe sites -l app=web", "several, by label"],
    ["fettle describe site/hello page/hello-1", "objects of different kinds"],
  ],
  async run(words, options, terminal) {
    if (words.length === 0) throw new UsageError("missing object: fettle describe KIND NAME");
    const { signal } = terminal;
    await using server = await connect(options, terminal);
    const { client } = server;
    const { targets, selection } = await resolveObjects(words, options, server);
    const found: { readonly kind: ServedKind; readonly object: UntypedObject }[] = [];
    for (const { kind, names } of targets) {
      for (const name of names) {
        const { namespace } = selection;
        found.push({ kind, object: await getObject(server, { kind, name, namespace }, terminal) });
      }
      if (names.length > 0) continue;
      const { items } = await client.list(kind, { ...selection, signal });
      for (const object of items) found.push({ kind, object });
    }
    if (found.length === 0) {
      terminal.stderr.write("No matching objects.\n");
      return;
    }
    const isMarked = found.some(({ kind }) => isCustomKind(kind));
    const held = isMarked ? await readHeldObjects(server, signal) : undefined;
    using progress = startProgress(terminal);
    let isFirst = true;
    for (const { kind, object } of found) {
      progress.show(`reading owned objects and events of ${kind.singular}/${object.metadata.name}`);
      const [children, events] = await Promise.all([
        options["children"] === false ? undefined : childrenOf(client, await server.kinds(), object, signal),
        options["events"] === false ? undefined : orNothing(listEvents(client, object, signal)),
      ]);
      progress.clear();
      const text = await description({
        object,
        children,
        events,
        held: held?.statesOf(object) ?? [],
        colors: terminal.colors,
      });
      terminal.stdout.write(`${isFirst ? "" : "\n\n"}${text}`);
      isFirst = false;
    }
  },
};

/** Ignores API errors: a user who may read an object may not be allowed to list its events or children. */
async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (asApiError(error) === undefined) throw error;
    return undefined;
  }
}
