import picocolors from "picocolors";
import { formatAge } from "../../model/core.js";
import type { History, Version } from "../../plane/management/contract.js";
import { type Command } from "../command/command.js";
import { rethrowNotFound } from "../objects/not-found.js";
import { cellText, columns, headerRow, type TableCell, type Colors } from "../terminal/columns.js";
import { changeLines, pathText } from "../output/change-lines.js";
import { valueFormatOf, valueOption, printValue } from "../output/value-output.js";
import { connect } from "../server/connect.js";
import { resolveObject } from "../objects/resolve-objects.js";
import { connectionOptions } from "../command/options.js";

export const command: Command = {
  arguments: "<object> [name]",
  description:
    "List the versions of an object, also of a deleted one, as far back as the store keeps history (by default one day).",
  options: [
    ...connectionOptions,
    { flags: "--diff", summary: "show the changes between versions" },
    valueOption,
  ],
  examples: [
    ["fettle history site/hello", "versions with time, user and field manager"],
    ["fettle history site/hello --diff", "with the changed fields"],
    ["fettle rollback site/hello --to 42", "restore one of them"],
  ],
  async run(words, options, terminal) {
    const format = valueFormatOf(options);
    await using server = await connect(options, terminal);
    const { kind, name, namespace } = await resolveObject(words, server);
    const history = await server.plane
      .history({ apiVersion: kind.apiVersion, kind: kind.kind, namespace, name })
      .catch(rethrowNotFound(kind, undefined));
    const { colors } = terminal;
    await printValue(terminal, format, history, () =>
      historyText(history, { withDiff: options["diff"] === true, colors }),
    );
  },
};

function historyText(
  { versions }: History,
  { withDiff, colors }: { readonly withDiff: boolean; readonly colors: boolean },
): string {
  const paint = picocolors.createColors(colors);
  const titles = ["REVISION", "TYPE", "GENERATION", "AGE", "USER", "FIELD MANAGER", "CHANGED"];
  const text = columns([headerRow(titles, paint), ...versions.map((version) => row(version, paint))]);
  if (!withDiff) return text;
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const blocks = versions.map(({ changes }, at) =>
    [lines[at] ?? "", ...changeLines(changes, colors).map((line) => `    ${line}`)].join("\n"),
  );
  return `${[head, ...blocks].join("\n")}\n`;
}

function row(
  { revision, type, generation, time, user, managers, changes }: Version,
  paint: Colors,
): readonly TableCell[] {
  const color = { created: paint.green, updated: paint.yellow, status: paint.cyan, deleted: paint.red }[type];
  return [
    String(revision),
    { text: type, paint: color },
    generation === undefined ? "-" : String(generation),
    time === undefined ? "-" : formatAge(Date.now() - Date.parse(time)),
    cellText(user ?? "-"),
    cellText(managers.join(", ") || "-"),
    summary(changes.map(({ path }) => pathText(path))),
  ];
}

const mostPaths = 3;

function summary(paths: readonly string[]): string {
  const shown = paths.slice(0, mostPaths).join(", ");
  return paths.length <= mostPaths ? shown : `${shown} and ${paths.length - mostPaths} more`;
}
