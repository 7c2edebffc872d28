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
    "Shows what the store has: the keys that match a pattern, with -o yaml or json what is under them. * is any text, ? one character, [abc] one of these; a pattern begins at any part of a key, or with the name of a kind. What Secrets contain is hidden.",
  options: [
    ...connectionOptions,
    { flags: "--key <pattern>", summary: "which keys (default: all of them)" },
    { flags: "--limit <count>", summary: "how many at most (default: 500)" },
    { flags: "--reveal", summary: "with what Secrets contain" },
    valueOption,
  ],
  examples: [
    ["fettle debug state --key 'site/*'", "all sites"],
    ["fettle debug state --key 'site/default/hello' -o yaml", "one of them, as it is stored"],
    ["fettle debug state --key '/core/*'", "everything of Kubernetes' core group"],
  ],
  run: debugState,
};

async function debugState(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
): Promise<void> {
  const [word, ...more] = words;
  if (more.length > 0)
    throw new UsageError("one pattern, in quotes so that the shell leaves it alone: --key 'site/*'");
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
    stderr.write(`The store has no key that matches ${pattern}.\n`);
    return;
  }
  const rows = list.entries.map(({ key, revision, value }) => [key, String(revision), sizeOf(value)]);
  stdout.write(columns([["KEY", "REVISION", "BYTES"], ...rows]));
  if (list.more) stderr.write(`There are more than ${limit}; --limit shows more of them.\n`);
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
