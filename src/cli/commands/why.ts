import picocolors from "picocolors";
import type { KindInfo } from "../../client/kinds/kind.js";
import { formatAge } from "../../model/core.js";
import type { ControllerState } from "../../plane/management/contract.js";
import { type Command, type Terminal } from "../command/command.js";
import { connect, type ServerConnection } from "../server/connect.js";
import { nextRunText } from "../output/queue-text.js";
import { cellText } from "../terminal/columns.js";
import { holdText } from "../output/hold-text.js";
import { showRuns, printRuns } from "../output/show-runs.js";
import { valueFormatOf, valueOption, type ValueFormat } from "../output/value-output.js";
import { parseObjectArguments, resolveControllers, queueKey } from "../objects/resolve-controllers.js";
import { searchHint } from "../objects/not-found.js";
import { connectionOptions, countOption } from "../command/options.js";

export const command: Command = {
  arguments: "<object> [name]",
  description:
    "Show why an object was reconciled, and the result: the triggers, steps, writes and outcome of its last runs. For an object without a controller, show the runs that wrote it.",
  options: [
    ...connectionOptions,
    { flags: "-w, --watch", summary: "keep showing runs as they end" },
    { flags: "--limit <count>", summary: "number of runs (default: 5)" },
    valueOption,
  ],
  examples: [
    ["fettle why site/hello", "its last runs, newest last"],
    ["fettle why site/hello -w --limit 1", "the last run, then new ones"],
    ["fettle why site/hello -o json", "as JSON, with all changes"],
  ],
  async run(words, options, terminal) {
    const format = valueFormatOf(options);
    const limit = countOption(options, "limit", { fallback: 5 });
    const { kind, name } = parseObjectArguments(words);
    await using server = await connect(options, terminal);
    const { plane } = server;
    const resolved = await resolveControllers(kind, server);
    if ("kind" in resolved) {
      return await showWriters({ kind: resolved.kind, name, limit, format, server, terminal });
    }
    const [controller, ...others] = resolved.controllers;
    const key = queueKey(controller, name, server.namespace);
    // All controllers of the kind reconcile the object, unless the argument names one of them.
    const only = controller.name === kind || others.length === 0 ? controller.name : undefined;
    const filter = { kind: controller.kind, key, controller: only };
    if (options["watch"] === true) return await printRuns(plane, { ...filter, limit }, format, terminal);
    const list = await plane.runs({ ...filter, limit });
    if (list.runs.length === 0 && format === undefined)
      await explainNoRuns(controller, name, server, terminal);
    else await showRuns(list, format, terminal);
    if (format === undefined) await showPresent({ ...filter, server, terminal });
  },
};

interface PresentState {
  readonly kind: string;
  readonly key: string;
  /** Default: all controllers of the kind. */
  readonly controller: string | undefined;
  readonly server: ServerConnection;
  readonly terminal: Terminal;
}

/** Prints when the object is reconciled next, and what is suspicious about its runs. */
async function showPresent({ kind, key, controller, server, terminal }: PresentState): Promise<void> {
  const { plane } = server;
  const [{ objects }, { findings }] = await Promise.all([
    plane.queue({ key, controller }),
    plane.controllers(),
  ]);
  const paint = picocolors.createColors(terminal.colors);
  const now = Date.now();
  const lines = [
    ...objects
      .filter((each) => each.kind === kind)
      .map(({ controller: title, ...each }) => ({
        title,
        text:
          each.hold === undefined
            ? nextRunText(each, now)
            : `its next run (${each.reason}) is held back: ${holdText(each.hold, now)}`,
        color: paint.dim,
      })),
    ...findings
      .filter(({ object }) => object === `${kind} ${key}`)
      .map(({ controller: title, message }) => ({ title, text: message, color: paint.yellow })),
  ];
  if (lines.length > 0) terminal.stdout.write("\n");
  for (const { title, text, color } of lines)
    terminal.stdout.write(`${color(`${title}: ${cellText(text)}`)}\n`);
}

interface WrittenObject {
  readonly kind: KindInfo;
  readonly name: string;
  readonly limit: number;
  readonly format: ValueFormat;
  readonly server: ServerConnection;
  readonly terminal: Terminal;
}

/** Prints the runs that wrote an object of a kind without a controller. */
async function showWriters({ kind, name, limit, format, server, terminal }: WrittenObject): Promise<void> {
  const { kind: kindName, scope } = kind;
  const namespace = scope === "Cluster" ? "" : server.namespace;
  const key = namespace === "" ? name : `${namespace}/${name}`;
  // At least one, to tell whether there is any.
  const { runs } = await server.plane.runs({ wroteKind: kindName, wroteKey: key, limit: Math.max(1, limit) });
  const title = `${kindName} ${key}`;
  if (format === undefined) {
    terminal.stderr.write(
      runs.length === 0
        ? `No controller reconciles ${kindName}, and no recorded run wrote ${title}.\n`
        : `No controller reconciles ${kindName}; these runs wrote ${title}:\n`,
    );
  }
  await showRuns({ runs: limit === 0 ? [] : runs }, format, terminal);
}

/** Explains why there are no runs: the object is missing, paused, or has not been reconciled. */
async function explainNoRuns(
  controller: ControllerState,
  name: string,
  { client, namespace }: ServerConnection,
  { stdout, signal }: Terminal,
): Promise<void> {
  const { kind, apiVersion, scope } = controller;
  const title = `${kind} ${queueKey(controller, name, namespace)}`;
  const object = await client.find(
    { apiVersion, kind },
    { name, namespace: scope === "Cluster" ? undefined : namespace },
    { signal },
  );
  if (object === undefined)
    throw new Error(`${title} not found, and no run of it is recorded; ${searchHint(controller)}`);
  const age = formatAge(Date.now() - Date.parse(object.metadata.creationTimestamp ?? ""));
  const held =
    controller.paused || controller.pausedObjects.includes(queueKey(controller, name, namespace))
      ? ` It is paused; resume it with: fettle resume ${kind.toLowerCase()}/${name}`
      : "";
  stdout.write(`No runs of ${title} (age ${age}) are recorded by controller ${controller.name}.${held}\n`);
}
