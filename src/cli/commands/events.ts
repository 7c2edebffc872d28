import picocolors from "picocolors";
import { systemClock } from "../../model/core.js";
import { UsageError, type Command, type OptionValues } from "../command/command.js";
import { textOption, connectionOptions } from "../command/options.js";
import {
  eventKind,
  sortByTime,
  eventSelector,
  type PrintedEvent,
  eventRow,
  eventTitles,
} from "../objects/events.js";
import { follow } from "../objects/follow.js";
import { columns, GrowingColumns, headerRow, type TableCell } from "../terminal/columns.js";
import { formatOf } from "../output/format.js";
import { Reconnection } from "../server/reconnection.js";
import { printObjects } from "../output/objects.js";
import { connect, type ServerConnection } from "../server/connect.js";
import { resolveObject } from "../objects/resolve-objects.js";

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
  async run(words, options, terminal) {
    const about = aboutOf(words, options);
    const format = formatOf(options);
    await using server = await connect(options, terminal);
    const { namespace, fieldSelector, isWanted } = await filterOf(about, options, server);
    const where = { namespace, fieldSelector, signal: terminal.signal };
    const withNamespace = options["allNamespaces"] === true;
    const paint = picocolors.createColors(terminal.colors);
    const rowOf = (event: PrintedEvent): readonly TableCell[] => {
      const row = eventRow(event, systemClock.now(), paint);
      return withNamespace ? [event.metadata.namespace ?? "", ...row] : row;
    };
    const titles = withNamespace ? ["NAMESPACE", ...eventTitles] : eventTitles;
    const titleRows = options["headers"] === false ? [] : [headerRow(titles, paint)];
    if (options["watch"] === true) {
      if (format.type !== "table")
        throw new UsageError("-w cannot be combined with -o; use: fettle get events -w -o json");
      const text = new GrowingColumns();
      const onStart = (found: readonly PrintedEvent[]): void => {
        const rows = sortByTime(found.filter(isWanted)).map(rowOf);
        terminal.stdout.write(text.add([...titleRows, ...rows]));
      };
      const following = { ...where, onStart, reconnection: new Reconnection(terminal) };
      for await (const { type, object } of follow(server.client, eventKind, following)) {
        if (type !== "DELETED" && isWanted(object)) terminal.stdout.write(text.add([rowOf(object)]));
      }
      return;
    }
    const { items } = await server.client.list(eventKind, where);
    const found = sortByTime(items.filter(isWanted));
    if (format.type !== "table") {
      const titleOf = ({ metadata }: PrintedEvent): string => `event/${metadata.name}`;
      terminal.stdout.write(await printObjects(format, { objects: found, single: false, titleOf }));
    } else if (found.length === 0) {
      const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
      const object = about === undefined ? "" : ` of ${about.join("/")}`;
      terminal.stderr.write(`No events${object}${where}.\n`);
    } else terminal.stdout.write(columns([...titleRows, ...found.map(rowOf)]));
  },
};

interface EventFilter {
  readonly namespace: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly isWanted: (event: PrintedEvent) => boolean;
}

/** Arguments that name one object, given after the command or with `--for`, as in kubectl. */
function aboutOf(words: readonly string[], options: OptionValues): readonly string[] | undefined {
  const about = textOption(options, "for");
  if (about === undefined) return words.length === 0 ? undefined : words;
  if (words.length > 0) throw new UsageError(`--for ${about} cannot be combined with ${words.join(" ")}`);
  if (!about.includes("/"))
    throw new UsageError(`invalid value ${JSON.stringify(about)} for --for; use KIND/NAME`);
  return [about];
}

async function filterOf(
  about: readonly string[] | undefined,
  options: OptionValues,
  server: ServerConnection,
): Promise<EventFilter> {
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
  const isWanted = ({ type = "" }: PrintedEvent): boolean =>
    types.length === 0 || types.includes(type.toLowerCase());
  const namespace = isEverywhere ? undefined : server.namespace;
  if (about === undefined) return { namespace, fieldSelector: undefined, isWanted };
  const { kind, name } = await resolveObject(about, server);
  return {
    // The recorder of an event chooses the namespace when the object is cluster-scoped.
    namespace: kind.scope === "Cluster" ? undefined : namespace,
    fieldSelector: eventSelector(kind.kind, name),
    isWanted,
  };
}
