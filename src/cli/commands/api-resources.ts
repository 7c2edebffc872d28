import type { Command } from "../command/command.js";
import { kubeconfigOptions, textOption } from "../command/options.js";
import { valueFormatOf, valueOption, printValue } from "../output/value-output.js";
import { connect } from "../server/connect.js";
import { columns } from "../terminal/columns.js";

export const command: Command = {
  description: "List the kinds that the server serves.",
  options: [
    ...kubeconfigOptions,
    { flags: "--api-group <group>", summary: "only kinds of this group" },
    { flags: "--verbs", summary: "add a column with the verbs" },
    { flags: "--no-headers", summary: "omit the header line" },
    valueOption,
  ],
  examples: [
    ["fettle api-resources", "all kinds"],
    ["fettle api-resources --api-group demo.dev", "those of one group"],
  ],
  async run(_, options, terminal) {
    const format = valueFormatOf(options);
    const group = textOption(options, "apiGroup");
    await using server = await connect(options, terminal);
    const kinds = (await server.kinds()).filter((kind) => group === undefined || kind.group === group);
    const withVerbs = options["verbs"] === true;
    const rows = kinds.map(({ plural, shortNames, apiVersion, scope, kind, verbs }) => [
      plural,
      shortNames.join(","),
      apiVersion,
      String(scope === "Namespaced"),
      kind,
      ...(withVerbs ? [verbs.join(",")] : []),
    ]);
    const header = [
      "NAME",
      "SHORTNAMES",
      "APIVERSION",
      "NAMESPACED",
      "KIND",
      ...(withVerbs ? ["VERBS"] : []),
    ];
    await printValue(terminal, format, kinds, () =>
      columns(options["headers"] === false ? rows : [header, ...rows]),
    );
  },
};
