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
import { servedKinds, type ServedKind } from "../../kinds/served-kinds.js";
import { managementClient } from "../../management-client.js";
import { columns } from "../../output/columns.js";
import { countOption, valueFormatOf, valueOption, valueText } from "../../understand/value-output.js";

export const state: Command = {
  description:
    "List the keys in the store that match a pattern; -o yaml or json shows the values too. In a pattern, * matches any text, ? one character, [abc] one of these. A pattern may start at any part of a key, or with a kind. The data of Secrets is hidden.",
  options: [
    ...connectionOptions,
    { flags: "--key <pattern>", summary: "key pattern (default: all keys)" },
    { flags: "--limit <count>", summary: "maximum number of keys (default: 500)" },
    { flags: "--reveal", summary: "show the data of Secrets" },
    valueOption,
  ],
  examples: [
    ["fettle debug state --key 'site/*'", "all sites"],
    ["fettle debug state --key 'site/default/hello' -o yaml", "one site as it is stored"],
    ["fettle debug state --key '/core/*'", "all objects of the core group"],
  ],
  run: debugState,
};

async function debugState(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
): Promise<void> {
  const [word, ...more] = words;
  if (more.length > 0) throw new UsageError("too many arguments; quote the pattern: --key 'site/*'");
  const format = valueFormatOf(options);
  const key = textOption(options, "key") ?? word ?? "*";
  const limit = countOption(options, "limit", { least: 1, otherwise: 500 });
  await using server = await connect(options, terminal);
  const { signal, stdout, stderr } = terminal;
  const plane = managementClient(server, signal);
  const pattern = patternOf(key, await servedKinds(server.transport, signal));
  const list = await plane.state({ key: pattern, limit, reveal: options["reveal"] === true });
  if (format !== undefined) {
    stdout.write(await valueText(list, format));
    return;
  }
  if (list.entries.length === 0) {
    stderr.write(`No keys match ${pattern}.\n`);
    return;
  }
  const rows = list.entries.map(({ key, revision, value }) => [key, String(revision), sizeOf(value)]);
  stdout.write(columns([["KEY", "REVISION", "BYTES"], ...rows]));
  if (list.more) stderr.write(`There are more than ${limit} keys; show more with --limit.\n`);
}

function sizeOf(value: unknown): string {
  return String(Buffer.byteLength(JSON.stringify(value)));
}

/** People name kinds in more ways than keys do: `backend/*` is `/demo.dev/backends/*`. */
function patternOf(text: string, kinds: readonly ServedKind[]): string {
  const [, word = "", rest = ""] = /^([\w.-]+)\/(.*)$/s.exec(text) ?? [];
  if (word === "") return text;
  try {
    const { group, plural } = findKind(kinds, word);
    return `/${group === "" ? "core" : group}/${plural}/${rest}`;
  } catch {
    return text;
  }
}
