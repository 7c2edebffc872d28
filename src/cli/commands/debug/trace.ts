import { nearest } from "../../command/nearest.js";
import { UsageError, type Command } from "../../command/command.js";
import { connect } from "../../server/connect.js";
import { textOption, connectionOptions, countOption } from "../../command/options.js";
import { type ManagementClient } from "../../server/management-client.js";
import { showRuns, printRuns } from "../../output/show-runs.js";
import { valueFormatOf, valueOption } from "../../output/value-output.js";

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
  async run(_, options, terminal) {
    const format = valueFormatOf(options);
    const follow = options["follow"] === true;
    const limit = countOption(options, "tail", { fallback: follow ? 0 : 10 });
    await using server = await connect(options, terminal);
    const { plane } = server;
    const controller = await controllerNamed(textOption(options, "component") ?? "reconciler", plane);
    if (follow) await printRuns(plane, { controller, limit }, format, terminal);
    else await showRuns(await plane.runs({ controller, limit }), format, terminal);
  },
};

/** Name of the controller that a component stands for; undefined for all of them. */
async function controllerNamed(component: string, plane: ManagementClient): Promise<string | undefined> {
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
