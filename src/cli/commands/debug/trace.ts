import picocolors from "picocolors";
import { nearest } from "../../../model/object/nearest.js";
import type { RunList } from "../../../plane/management/contract.js";
import { UsageError, type Command, type Terminal } from "../../command/command.js";
import { connect } from "../../server/connect.js";
import { textOption, connectionOptions, countOption } from "../../command/options.js";
import { type ManagementClient } from "../../server/management-client.js";
import { followedChanges } from "../../output/followed-changes.js";
import { endedRuns, showRuns, printRuns } from "../../output/show-runs.js";
import { handledText, operationText } from "../../output/trace-text.js";
import {
  printValue,
  valueFormatOf,
  valueOption,
  writeItem,
  type ValueFormat,
} from "../../output/value-output.js";

/** Components that are no controllers. */
const components = ["control_loop", "reconciler", "state_store"];

export const trace: Command = {
  description:
    "Trace a component. reconciler: runs of all controllers with their triggers, steps, writes and outcome. control_loop: a line for each event that a controller has handled, with the run and its outcome. state_store: a line for each write to the store. The name of a controller: its runs.",
  options: [
    ...connectionOptions,
    {
      flags: "--component <name>",
      summary: "control_loop, reconciler, state_store, or the name of a controller (default: reconciler)",
    },
    { flags: "-f, --follow", summary: "keep showing what happens" },
    { flags: "--tail <count>", summary: "number of past runs or writes (default: 10, or 0 with -f)" },
    valueOption,
  ],
  examples: [
    ["fettle debug trace --component reconciler -f", "all runs as they end"],
    ["fettle debug trace --component control_loop -f", "events as they are handled"],
    ["fettle debug trace --component state_store --tail 50", "the last writes to the store"],
    ["fettle debug trace --component sites.demo.dev --tail 3", "the last three runs of one controller"],
  ],
  async run(_, options, terminal) {
    const format = valueFormatOf(options);
    const follow = options["follow"] === true;
    const limit = countOption(options, "tail", { fallback: follow ? 0 : 10 });
    const component = textOption(options, "component") ?? "reconciler";
    await using server = await connect(options, terminal);
    const { plane } = server;
    const paint = picocolors.createColors(terminal.colors);
    if (component === "state_store") {
      if (!follow) {
        const list = await plane.changes({ tail: limit });
        return await printValue(terminal, format, list, () =>
          list.changes.map((change) => operationText(change, paint)).join(""),
        );
      }
      for await (const change of followedChanges(plane, { tail: limit }, terminal))
        await writeItem(terminal, format, change, () => operationText(change, paint));
      return;
    }
    if (component === "control_loop") {
      if (!follow) {
        const list = await plane.runs({ limit });
        noteIfEmpty(list, format, terminal);
        return await printValue(terminal, format, list, () =>
          list.runs.map((run) => handledText(run, paint)).join(""),
        );
      }
      for await (const run of endedRuns(plane, { limit }, terminal))
        await writeItem(terminal, format, run, () => handledText(run, paint));
      return;
    }
    const controller = await controllerNamed(component, plane);
    if (follow) return await printRuns(plane, { controller, limit }, format, terminal);
    const list = await plane.runs({ controller, limit });
    noteIfEmpty(list, format, terminal);
    await showRuns(list, format, terminal);
  },
};

function noteIfEmpty({ runs }: RunList, format: ValueFormat, terminal: Terminal): void {
  if (runs.length === 0 && format === undefined)
    terminal.stderr.write("No runs are recorded yet; -f shows new ones as they end.\n");
}

/** Name of the controller that a component stands for; undefined for all of them. */
async function controllerNamed(component: string, plane: ManagementClient): Promise<string | undefined> {
  const { controllers } = await plane.controllers();
  if (component === "reconciler") return undefined;
  const names = controllers.map(({ name }) => name);
  if (names.includes(component)) return component;
  const alike = nearest(component, [...components, ...names]);
  const hint = alike === undefined ? "" : `; did you mean ${alike}?`;
  throw new UsageError(
    `unknown component ${JSON.stringify(component)}${hint} (use ${[...components, ...names].join(", ")})`,
  );
}
