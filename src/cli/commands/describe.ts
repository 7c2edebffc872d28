import { asApiError } from "../../model/core.js";
import { connectionOptions, UsageError, type Command, type OptionValues, type Terminal } from "../command.js";
import { connectWithKinds, refuseSelectionWithNames, selectionOf, selectionOptions } from "../kinds/asked.js";
import { sayWhere } from "../kinds/absent.js";
import { childrenOf } from "../kinds/children.js";
import { eventsAbout } from "../kinds/events-about.js";
import type { ServedKind } from "../kinds/served-kinds.js";
import { targetsOf } from "../kinds/targets.js";
import { description } from "../output/description.js";
import { startProgress } from "../output/progress.js";
import type { UntypedObject } from "../../client/kinds/kind.js";

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
  run: describe,
};

async function describe(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
): Promise<number | void> {
  if (words.length === 0) throw new UsageError("missing object: fettle describe KIND NAME");
  const { signal } = terminal;
  await using server = await connectWithKinds(options, terminal);
  const { client, kinds } = server;
  const selection = selectionOf(options, server);
  const found: { readonly kind: ServedKind; readonly object: UntypedObject }[] = [];
  for (const { kind, names } of targetsOf(words, kinds)) {
    refuseSelectionWithNames(options, names);
    for (const name of names) {
      const { namespace } = server;
      const object = await client.get(kind, { name, namespace }, { signal }).catch(sayWhere(kind, namespace));
      found.push({ kind, object });
    }
    if (names.length > 0) continue;
    const { items } = await client.list(kind, { ...selection, signal });
    for (const object of items) found.push({ kind, object });
  }
  if (found.length === 0) {
    terminal.stderr.write("No matching objects.\n");
    return;
  }
  using progress = startProgress(terminal);
  let isFirst = true;
  for (const { kind, object } of found) {
    progress.say(`reading owned objects and events of ${kind.singular}/${object.metadata.name}`);
    const [children, events] = await Promise.all([
      options["children"] === false ? undefined : childrenOf(client, kinds, object, signal),
      options["events"] === false ? undefined : orNothing(eventsAbout(client, object, signal)),
    ]);
    progress.clear();
    const text = await description({ object, children, events, colors: terminal.colors });
    terminal.stdout.write(`${isFirst ? "" : "\n\n"}${text}`);
    isFirst = false;
  }
}

/** Who may see an object need not be allowed to see what happened to it. */
async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (asApiError(error) === undefined) throw error;
    return undefined;
  }
}
