import picocolors from "picocolors";
import { isExpired, isGone } from "../../../model/core.js";
import { escapeText } from "../../../model/diff/yaml-text.js";
import type { ChangeReport } from "../../../plane/management/contract.js";
import { type Command, type Terminal } from "../../command/command.js";
import { connect } from "../../server/connect.js";
import { textOption, connectionOptions, countOption } from "../../command/options.js";
import { findKind } from "../../objects/find-kind.js";
import { type ManagementClient, type ChangeQuery } from "../../server/management-client.js";
import { Reconnection } from "../../server/reconnection.js";
import { changeLines } from "../../output/change-lines.js";
import { valueFormatOf, valueOption, printValue, writeItem } from "../../output/value-output.js";

export const events: Command = {
  description:
    "Show every change in the store, as controllers and watches receive it. The data of Secrets is hidden.",
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
    for await (const change of followChanges(plane, query, terminal)) {
      await writeItem(terminal, format, change, () => changeText(change, terminal.colors));
    }
  },
};

/** Yields the last changes, then new ones; reconnects when the stream breaks. */
async function* followChanges(
  plane: ManagementClient,
  query: ChangeQuery,
  terminal: Terminal,
): AsyncGenerator<ChangeReport, void, undefined> {
  const { changes, revision } = await plane.changes(query);
  yield* changes;
  let after = revision;
  const begin = async function* (): AsyncGenerator<ChangeReport, void, undefined> {
    try {
      yield* plane.followChanges({ ...query, after });
    } catch (error) {
      if (!isExpired(error) && !isGone(error)) throw error;
      terminal.stderr.write(
        "fettle: some changes were missed: the server no longer has them; continuing with new ones\n",
      );
      ({ revision: after } = await plane.changes({ ...query, tail: 0 }));
      yield* plane.followChanges({ ...query, after });
    }
  };
  const all = new Reconnection(terminal).resumed(begin, () => plane.controllers());
  for await (const change of all) {
    after = change.revision;
    yield change;
  }
}

const timeLength = "2026-01-01T00:00:00Z".length;

function changeText(change: ChangeReport, colors: boolean): string {
  const { revision, type, object, changes, time, user, managers } = change;
  const paint = picocolors.createColors(colors);
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
