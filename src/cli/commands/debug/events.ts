import picocolors from "picocolors";
import { escapeText } from "../../../model/diff/yaml-text.js";
import type { ChangeReport, EmittedReport } from "../../../plane/management/contract.js";
import { type Command } from "../../command/command.js";
import { connect } from "../../server/connect.js";
import { textOption, connectionOptions, countOption } from "../../command/options.js";
import { findKind } from "../../objects/find-kind.js";
import { changeLines } from "../../output/change-lines.js";
import { followedChanges } from "../../output/followed-changes.js";
import { valueFormatOf, valueOption, printValue, writeItem } from "../../output/value-output.js";

export const events: Command = {
  description:
    "Show every change in the store, as controllers and watches receive it, and events that were emitted. The data of Secrets is hidden.",
  options: [
    ...connectionOptions,
    {
      flags: "--tail [count]",
      summary: "number of past changes (default: 20); without a number, same as -f",
    },
    { flags: "-f, --follow", summary: "keep showing new changes" },
    { flags: "--kind <kind>", summary: "only changes of this kind" },
    { flags: "--reveal", summary: "show the data of Secrets" },
    valueOption,
  ],
  examples: [
    ["fettle debug events --tail 50", "the last 50 changes"],
    ["fettle debug events --kind site -f", "changes of sites as they happen"],
    ["fettle debug events -f -o json", "one JSON document per line"],
  ],
  async run(_, options, terminal) {
    const format = valueFormatOf(options);
    const tail = countOption(options, "tail", { fallback: 20 });
    const word = textOption(options, "kind");
    await using server = await connect(options, terminal);
    const { plane } = server;
    const kind = word === undefined ? undefined : findKind(await server.kinds(), word);
    const query = {
      apiVersion: kind?.apiVersion,
      kind: kind?.kind,
      tail,
      reveal: options["reveal"] === true,
    };
    if (options["follow"] !== true && options["tail"] !== true) {
      const list = await plane.changes(query);
      return await printValue(terminal, format, list, () =>
        list.changes.map((change) => changeText(change, terminal.colors)).join(""),
      );
    }
    for await (const change of followedChanges(plane, query, terminal)) {
      await writeItem(terminal, format, change, () => changeText(change, terminal.colors));
    }
  },
};

const timeLength = "2026-01-01T00:00:00Z".length;

function changeText(change: ChangeReport, colors: boolean): string {
  const paint = picocolors.createColors(colors);
  if (change.type === "EMITTED") return emittedText(change, paint);
  const { revision, type, object, changes, time, user, managers } = change;
  const { namespace, name = "" } = object.metadata;
  const title = escapeText(`${object.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`);
  const sign = { ADDED: paint.green, MODIFIED: paint.yellow, DELETED: paint.red }[type](type.padEnd(8));
  const lines = changeLines(changes, colors).map((line) => `    ${line}\n`);
  // Times are stored in UTC; a deletion has none.
  const at = paint.dim((time ?? "").padEnd(timeLength));
  const writers = [...(user === undefined ? [] : [user]), ...managers.filter((each) => each !== user)];
  const by = writers.length === 0 ? "" : paint.dim(escapeText(`  by ${writers.join(" as ")}`));
  return `${String(revision).padStart(6)}  ${at}  ${sign}  ${paint.bold(title)}${by}\n${lines.join("")}`;
}

function emittedText(
  { revision, event }: EmittedReport,
  paint: ReturnType<typeof picocolors.createColors>,
): string {
  const { type, timestamp, data, metadata } = event;
  const at = paint.dim(timestamp.slice(0, timeLength - 1).padEnd(timeLength - 1) + "Z");
  const subject = typeof metadata["subject"] === "string" ? `  ${metadata["subject"]}` : "";
  const text = JSON.stringify(data);
  const line =
    text === "{}" ? "" : `    ${escapeText(text.length > 200 ? `${text.slice(0, 200)}…` : text)}\n`;
  return `${String(revision).padStart(6)}  ${at}  ${paint.cyan("EVENT".padEnd(8))}  ${paint.bold(escapeText(type))}${paint.dim(escapeText(subject))}\n${line}`;
}
