import { type Command } from "../../command/command.js";
import { connect } from "../../server/connect.js";
import { textOption, connectionOptions, countOption } from "../../command/options.js";
import { findKind } from "../../objects/find-kind.js";
import { type ServedKind } from "../../server/served-kinds.js";
import { columns } from "../../terminal/columns.js";
import { valueFormatOf, valueOption, printValue } from "../../output/value-output.js";

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
  async run(_, options, terminal) {
    const format = valueFormatOf(options);
    const key = textOption(options, "key") ?? "*";
    const limit = countOption(options, "limit", { least: 1, fallback: 500 });
    await using server = await connect(options, terminal);
    const pattern = patternOf(key, await server.kinds());
    const list = await server.plane.state({ key: pattern, limit, reveal: options["reveal"] === true });
    if (list.entries.length === 0 && format === undefined) {
      terminal.stderr.write(`No keys match ${pattern}.\n`);
      return;
    }
    await printValue(terminal, format, list, () => {
      const rows = list.entries.map(({ key, revision, value }) => [key, String(revision), sizeOf(value)]);
      return columns([["KEY", "REVISION", "BYTES"], ...rows]);
    });
    if (list.more && format === undefined)
      terminal.stderr.write(`There are more than ${limit} keys; show more with --limit.\n`);
  },
};

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
