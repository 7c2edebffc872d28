import { systemClock } from "../../model/core.js";
import { connectionOptions, UsageError, type Command, type OptionValues, type Terminal } from "../command.js";
import { connectWithKinds, textOption, type Served } from "../kinds/asked.js";
import { aboutSelector, eventKind } from "../kinds/events-about.js";
import { follow } from "../kinds/follow.js";
import { oneTarget } from "../kinds/targets.js";
import { columns, GrowingColumns } from "../output/columns.js";
import { eventRow, eventTitles, inTime, type SeenEvent } from "../output/event-rows.js";
import { formatOf } from "../output/format.js";
import { Reconnection } from "../reconnection.js";
import { printObjects } from "../output/objects.js";

export const command: Command = {
  arguments: "[object] [name]",
  description:
    "Show the Events that controllers recorded, newest last: of all objects in the namespace, or of one (KIND/NAME or KIND NAME).",
  options: [
    ...connectionOptions,
    { flags: "-A, --all-namespaces", summary: "in all namespaces" },
    { flags: "--for <object>", summary: "only events of one object: KIND/NAME" },
    {
      flags: "--types <types>",
      summary: "only these types: Normal, Warning",
      values: ["Normal", "Warning"],
    },
    { flags: "-w, --watch", summary: "keep showing new events" },
    { flags: "--no-headers", summary: "omit the header line" },
    {
      flags: "-o, --output <format>",
      summary: "output format: yaml, json or name",
      values: ["yaml", "json", "name"],
    },
  ],
  examples: [
    ["fettle events", "all events in the namespace"],
    ["fettle events site/hello", "events of one site"],
    ["fettle events --for site/hello -w", "the same in kubectl's syntax, then new events"],
    ["fettle events -A --types Warning", "warnings in all namespaces"],
  ],
  run: events,
};

interface Asked {
  readonly namespace: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly isWanted: (event: SeenEvent) => boolean;
}

async function events(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
): Promise<number | void> {
  const about = aboutOf(words, options);
  const format = formatOf(options);
  await using server = await connectWithKinds(options, terminal);
  const { namespace, fieldSelector, isWanted } = askedOf(about, options, server);
  const where = { namespace, fieldSelector, signal: terminal.signal };
  const withNamespace = options["allNamespaces"] === true;
  const rowOf = (event: SeenEvent): readonly string[] => {
    const row = eventRow(event, systemClock.now());
    return withNamespace ? [event.metadata.namespace ?? "", ...row] : row;
  };
  const titles = withNamespace ? ["NAMESPACE", ...eventTitles] : eventTitles;
  const titleRows = options["headers"] === false ? [] : [titles];
  if (options["watch"] === true) {
    if (format.type !== "table")
      throw new UsageError("-w cannot be combined with -o; use: fettle get events -w -o json");
    const text = new GrowingColumns();
    const onStart = (found: readonly SeenEvent[]): void => {
      const rows = inTime(found.filter(isWanted)).map(rowOf);
      terminal.stdout.write(text.add([...titleRows, ...rows]));
    };
    const following = { ...where, onStart, reconnection: new Reconnection(terminal) };
    for await (const { type, object } of follow(server.client, eventKind, following)) {
      if (type !== "DELETED" && isWanted(object)) terminal.stdout.write(text.add([rowOf(object)]));
    }
    return;
  }
  const { items } = await server.client.list(eventKind, where);
  const found = inTime(items.filter(isWanted));
  if (format.type !== "table") {
    const titleOf = ({ metadata }: SeenEvent): string => `event/${metadata.name}`;
    terminal.stdout.write(await printObjects(format, { objects: found, single: false, titleOf }));
  } else if (found.length === 0) {
    const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
    const whom = about === undefined ? "" : ` of ${about.join("/")}`;
    terminal.stderr.write(`No events${whom}${where}.\n`);
  } else terminal.stdout.write(columns([...titleRows, ...found.map(rowOf)]));
}

/** The words for one object, if one was named: behind the command, or with `--for` as kubectl has it. */
function aboutOf(words: readonly string[], options: OptionValues): readonly string[] | undefined {
  const about = textOption(options, "for");
  if (about === undefined) return words.length === 0 ? undefined : words;
  if (words.length > 0) throw new UsageError(`--for ${about} cannot be combined with ${words.join(" ")}`);
  if (!about.includes("/"))
    throw new UsageError(`invalid value ${JSON.stringify(about)} for --for; use KIND/NAME`);
  return [about];
}

function askedOf(about: readonly string[] | undefined, options: OptionValues, server: Served): Asked {
  const isEverywhere = options["allNamespaces"] === true;
  const types = (textOption(options, "types") ?? "")
    .split(",")
    .map((type) => type.trim().toLowerCase())
    .filter((type) => type !== "");
  for (const type of types) {
    if (type !== "normal" && type !== "warning") {
      throw new UsageError(`unknown event type ${JSON.stringify(type)}; use Normal or Warning`);
    }
  }
  const isWanted = ({ type = "" }: SeenEvent): boolean =>
    types.length === 0 || types.includes(type.toLowerCase());
  const namespace = isEverywhere ? undefined : server.namespace;
  if (about === undefined) return { namespace, fieldSelector: undefined, isWanted };
  const { kind, name } = oneTarget(about, server.kinds);
  return {
    // What happens to an object without a namespace is told in a namespace that its teller chose.
    namespace: kind.scope === "Cluster" ? undefined : namespace,
    fieldSelector: aboutSelector(kind.kind, name),
    isWanted,
  };
}
