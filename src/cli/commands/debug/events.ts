import picocolors from "picocolors";
import { isExpired, isGone } from "../../../model/core.js";
import { escapeText } from "../../../model/diff/yaml-text.js";
import type { ChangeReport } from "../../../plane/management/contract.js";
import {
  connectionOptions,
  UsageError,
  type Command,
  type OptionValues,
  type Terminal,
} from "../../command.js";
import { connect } from "../../connect.js";
import { textOption } from "../../kinds/asked.js";
import { findKind } from "../../kinds/find-kind.js";
import { servedKinds } from "../../kinds/served-kinds.js";
import { managementClient, type ManagementClient } from "../../management-client.js";
import { Reconnection } from "../../reconnection.js";
import { changeLines } from "../../understand/change-lines.js";
import {
  countOption,
  itemText,
  valueFormatOf,
  valueOption,
  valueText,
} from "../../understand/value-output.js";

export const events: Command = {
  description:
    "Shows every change of an object, as the store has it: what controllers and watchers see. What Secrets contain is hidden.",
  options: [
    ...connectionOptions,
    {
      flags: "--tail [count]",
      summary: "how many of the last ones (default: 20); without a number, go on as with -f",
    },
    { flags: "-f, --follow", summary: "go on with those to come" },
    { flags: "--kind <kind>", summary: "only of this kind" },
    { flags: "--reveal", summary: "with what Secrets contain" },
    valueOption,
  ],
  examples: [
    ["fettle debug events --tail 50", "the last 50"],
    ["fettle debug events --kind site -f", "of sites, as they happen"],
    ["fettle debug events -f -o json", "one a line, whole, for programs"],
  ],
  run: debugEvents,
};

async function debugEvents(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
): Promise<void> {
  if (words.length > 0) throw new UsageError(`say the kind with --kind ${words[0] ?? ""}`);
  const format = valueFormatOf(options);
  const tail = countOption(options, "tail", { otherwise: 20 });
  const word = textOption(options, "kind");
  await using server = await connect(options, terminal);
  const { signal, stdout, colors } = terminal;
  const plane = managementClient(server, signal);
  const kind = word === undefined ? undefined : findKind(await servedKinds(server.transport, signal), word);
  const asked = { apiVersion: kind?.apiVersion, kind: kind?.kind, tail, reveal: options["reveal"] === true };
  if (options["follow"] !== true && options["tail"] !== true) {
    const list = await plane.changes(asked);
    stdout.write(
      format === undefined
        ? list.changes.map((change) => changeText(change, colors)).join("")
        : await valueText(list, format),
    );
    return;
  }
  for await (const change of changesFrom(plane, asked, terminal)) {
    stdout.write(format === undefined ? changeText(change, colors) : await itemText(change, format));
  }
}

interface AskedChanges {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly tail: number;
  readonly reveal: boolean;
}

/** The last changes and all that follow, also over streams that break. */
async function* changesFrom(
  plane: ManagementClient,
  asked: AskedChanges,
  terminal: Terminal,
): AsyncGenerator<ChangeReport, void, undefined> {
  const { changes, revision } = await plane.changes(asked);
  yield* changes;
  let after = revision;
  const begin = async function* (): AsyncGenerator<ChangeReport, void, undefined> {
    try {
      yield* plane.followChanges({ ...asked, after });
    } catch (error) {
      if (!isExpired(error) && !isGone(error)) throw error;
      terminal.stderr.write("fettle: what happened meanwhile is no longer remembered; going on from now\n");
      ({ revision: after } = await plane.changes({ ...asked, tail: 0 }));
      yield* plane.followChanges({ ...asked, after });
    }
  };
  const all = new Reconnection(terminal).resumed(begin, () => plane.controllers());
  for await (const change of all) {
    after = change.revision;
    yield change;
  }
}

function changeText({ revision, type, object, changes }: ChangeReport, colors: boolean): string {
  const paint = picocolors.createColors(colors);
  const { namespace, name = "" } = object.metadata;
  const title = escapeText(`${object.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`);
  const sign = { ADDED: paint.green, MODIFIED: paint.yellow, DELETED: paint.red }[type](type.padEnd(8));
  const lines = changeLines(changes, colors).map((line) => `    ${line}\n`);
  return `${String(revision).padStart(6)}  ${sign}  ${paint.bold(title)}\n${lines.join("")}`;
}
