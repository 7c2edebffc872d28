import type { KindInfo } from "../../client/kinds/kind.js";
import { formatAge } from "../../model/core.js";
import type { ControllerState } from "../../plane/management/contract.js";
import { connectionOptions, type Command, type OptionValues, type Terminal } from "../command.js";
import { connect, type Connected } from "../connect.js";
import { elsewhere } from "../kinds/absent.js";
import { managementClient, type ManagementClient } from "../management-client.js";
import { showRuns, showRunsAsTheyEnd } from "../understand/show-runs.js";
import { keyFor, meantBy, objectWords } from "../understand/target-words.js";
import { countOption, valueFormatOf, valueOption } from "../understand/value-output.js";

export const command: Command = {
  arguments: "<object> [name]",
  description:
    "Shows why an object was reconciled, and what came of it: everything that led to each of its last runs, the steps, what was written and how it ended. Of an object without a controller, the runs that wrote it.",
  options: [
    ...connectionOptions,
    { flags: "-w, --watch", summary: "go on showing runs as they end" },
    { flags: "--limit <count>", summary: "how many of the last runs (default: 5)" },
    valueOption,
  ],
  examples: [
    ["fettle why site/hello", "its last runs, the newest at the end"],
    ["fettle why site/hello -w --limit 1", "the last one, and those that follow"],
    ["fettle why site/hello -o json", "the same for programs, with all changes"],
  ],
  run: why,
};

async function why(words: readonly string[], options: OptionValues, terminal: Terminal): Promise<void> {
  const format = valueFormatOf(options);
  const limit = countOption(options, "limit", { otherwise: 5 });
  const asked = objectWords(words);
  await using server = await connect(options, terminal);
  const plane = managementClient(server, terminal.signal);
  const meant = await meantBy(asked.kind, (await plane.controllers()).controllers, server, terminal.signal);
  const [controller, ...others] = meant.controllers;
  if (controller === undefined) {
    if (!("kind" in meant)) return;
    return await showWriters(plane, { kind: meant.kind, name: asked.name, limit, format, server, terminal });
  }
  const key = keyFor(controller, asked.name, server.namespace);
  // Several controllers may be for one kind, and all of them have to do with the object; one may be meant by its name.
  const only = controller.name === asked.kind || others.length === 0 ? controller.name : undefined;
  const filter = { kind: controller.kind, key, controller: only };
  if (options["watch"] === true)
    return await showRunsAsTheyEnd(plane, { ...filter, limit }, format, terminal);
  const list = await plane.runs({ ...filter, limit });
  if (list.runs.length === 0 && format === undefined)
    return await explainSilence(controller, asked.name, server, terminal);
  await showRuns(list, format, terminal);
}

interface Written {
  readonly kind: KindInfo;
  readonly name: string;
  readonly limit: number;
  readonly format: "json" | "yaml" | undefined;
  readonly server: Connected;
  readonly terminal: Terminal;
}

/** The runs in which an object was written that nothing is reconciled for. */
async function showWriters(plane: ManagementClient, asked: Written): Promise<void> {
  const { name, limit, format, server, terminal } = asked;
  const { kind: kindName, scope } = asked.kind;
  const namespace = scope === "Cluster" ? "" : server.namespace;
  const key = namespace === "" ? name : `${namespace}/${name}`;
  // At least one, to tell whether there is any.
  const { runs } = await plane.runs({ wroteKind: kindName, wroteKey: key, limit: Math.max(1, limit) });
  const title = `${kindName} ${key}`;
  if (format === undefined) {
    terminal.stderr.write(
      runs.length === 0
        ? `No controller is for ${kindName}, and no stored run wrote ${title}.\n`
        : `No controller is for ${kindName}; these runs wrote ${title}:\n`,
    );
  }
  await showRuns({ runs: limit === 0 ? [] : runs }, format, terminal);
}

/** Nothing to show may have several reasons. */
async function explainSilence(
  controller: ControllerState,
  name: string,
  { client, namespace }: Connected,
  { stdout, signal }: Terminal,
): Promise<void> {
  const { kind, apiVersion, scope } = controller;
  const title = `${kind} ${keyFor(controller, name, namespace)}`;
  const object = await client.find(
    { apiVersion, kind },
    { name, namespace: scope === "Cluster" ? undefined : namespace },
    { signal },
  );
  if (object === undefined)
    throw new Error(`there is no ${title}, and no run of one is stored; ${elsewhere(controller)}`);
  const age = formatAge(Date.now() - Date.parse(object.metadata.creationTimestamp ?? ""));
  const held =
    controller.paused || controller.pausedObjects.includes(keyFor(controller, name, namespace))
      ? ` It is paused: fettle resume ${kind.toLowerCase()}/${name}`
      : "";
  stdout.write(`${title} is ${age} old, and controller ${controller.name} has no stored run of it.${held}\n`);
}
