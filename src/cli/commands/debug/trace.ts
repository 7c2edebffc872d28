import { nearest } from "../../kinds/nearest.js";
import {
  connectionOptions,
  UsageError,
  type Command,
  type OptionValues,
  type Terminal,
} from "../../command.js";
import { connect } from "../../connect.js";
import { textOption } from "../../kinds/asked.js";
import { managementClient, type ManagementClient } from "../../management-client.js";
import { showRuns, showRunsAsTheyEnd } from "../../understand/show-runs.js";
import { countOption, valueFormatOf, valueOption } from "../../understand/value-output.js";

export const trace: Command = {
  description: "Show runs of controllers: their triggers, steps, writes and outcome.",
  options: [
    ...connectionOptions,
    {
      flags: "--component <name>",
      summary: "name of a controller, or reconciler for all (default: reconciler)",
    },
    { flags: "-f, --follow", summary: "keep showing runs as they end" },
    { flags: "--tail <count>", summary: "number of past runs (default: 10, or 0 with -f)" },
    valueOption,
  ],
  examples: [
    ["fettle debug trace --component reconciler -f", "all runs as they end"],
    ["fettle debug trace --component sites.demo.dev --tail 3", "the last three runs of one controller"],
  ],
  run: debugTrace,
};

async function debugTrace(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
): Promise<void> {
  if (words.length > 0)
    throw new UsageError(`unexpected argument; choose a controller with --component ${words[0] ?? ""}`);
  const format = valueFormatOf(options);
  const follow = options["follow"] === true;
  const limit = countOption(options, "tail", { otherwise: follow ? 0 : 10 });
  await using server = await connect(options, terminal);
  const plane = managementClient(server, terminal.signal);
  const controller = await controllerMeant(textOption(options, "component") ?? "reconciler", plane);
  if (follow) await showRunsAsTheyEnd(plane, { controller, limit }, format, terminal);
  else await showRuns(await plane.runs({ controller, limit }), format, terminal);
}

/** Undefined stands for all of them. */
async function controllerMeant(component: string, plane: ManagementClient): Promise<string | undefined> {
  const { controllers } = await plane.controllers();
  if (component === "reconciler") return undefined;
  const names = controllers.map(({ name }) => name);
  if (names.includes(component)) return component;
  const alike = nearest(component, ["reconciler", ...names]);
  const hint = alike === undefined ? "" : `; did you mean ${alike}?`;
  throw new UsageError(
    `unknown component ${JSON.stringify(component)}${hint} (use ${["reconciler", ...names].join(", ")})`,
  );
}
