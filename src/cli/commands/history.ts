import { formatAge } from "../../model/core.js";
import type { History, Version } from "../../plane/management/contract.js";
import { connectionOptions, type Command, type OptionValues, type Terminal } from "../command.js";
import { sayWhere } from "../kinds/absent.js";
import { connectWithKinds } from "../kinds/asked.js";
import { oneTarget } from "../kinds/targets.js";
import { managementClient } from "../management-client.js";
import { columns } from "../output/columns.js";
import { changeLines, pathText } from "../understand/change-lines.js";
import { valueFormatOf, valueOption, valueText } from "../understand/value-output.js";

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
    ["fettle history site/hello", "versions with time and field manager"],
    ["fettle history site/hello --diff", "with the changed fields"],
    ["fettle rollback site/hello --to 42", "restore one of them"],
  ],
  run: history,
};

async function history(words: readonly string[], options: OptionValues, terminal: Terminal): Promise<void> {
  const format = valueFormatOf(options);
  await using server = await connectWithKinds(options, terminal);
  const { kind, name } = oneTarget(words, server.kinds);
  const plane = managementClient(server, terminal.signal);
  const { apiVersion } = kind;
  const told = await plane
    .history({ apiVersion, kind: kind.kind, namespace: server.namespace, name })
    .catch(sayWhere(kind, undefined));
  if (format !== undefined) terminal.stdout.write(await valueText(told, format));
  else
    terminal.stdout.write(historyText(told, { withDiff: options["diff"] === true, colors: terminal.colors }));
}

function historyText(
  { versions }: History,
  { withDiff, colors }: { readonly withDiff: boolean; readonly colors: boolean },
): string {
  const titles = ["REVISION", "TYPE", "GENERATION", "AGE", "BY", "CHANGED"];
  const text = columns([titles, ...versions.map(row)]);
  if (!withDiff) return text;
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const blocks = versions.map(({ changes }, at) =>
    [lines[at] ?? "", ...changeLines(changes, colors).map((line) => `    ${line}`)].join("\n"),
  );
  return `${[head, ...blocks].join("\n")}\n`;
}

function row({ revision, type, generation, time, managers, changes }: Version): readonly string[] {
  return [
    String(revision),
    type,
    generation === undefined ? "-" : String(generation),
    time === undefined ? "-" : formatAge(Date.now() - Date.parse(time)),
    managers.join(", ") || "-",
    summary(changes.map(({ path }) => pathText(path))),
  ];
}

const mostPaths = 3;

function summary(paths: readonly string[]): string {
  const shown = paths.slice(0, mostPaths).join(", ");
  return paths.length <= mostPaths ? shown : `${shown} and ${paths.length - mostPaths} more`;
}
