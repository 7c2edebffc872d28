import { isNotFound, sleep, systemClock } from "../../model/core.js";
import { connectionOptions, type Command, type OptionValues, type Terminal } from "../command.js";
import { connectWithKinds, type Served } from "../kinds/asked.js";
import { follow } from "../kinds/follow.js";
import type { ServedKind } from "../kinds/served-kinds.js";
import { oneTarget } from "../kinds/targets.js";
import { kindsIn, objectTree, type TreeNode } from "../understand/object-tree.js";
import { Screen } from "../understand/screen.js";
import { treeText, treeValue } from "../understand/tree-text.js";
import { Reconnection } from "../reconnection.js";
import { itemText, valueFormatOf, valueOption, valueText } from "../understand/value-output.js";

export const command: Command = {
  arguments: "<object> [name]",
  description:
    "Show an object and everything it owns, recursively, with Ready conditions or phases. Works with any Kubernetes API.",
  options: [...connectionOptions, { flags: "-w, --watch", summary: "keep updating" }, valueOption],
  examples: [
    ["fettle tree site/hello", "the site and its pages"],
    ["fettle tree site/hello -w", "the same, updated live"],
  ],
  run: tree,
};

async function tree(words: readonly string[], options: OptionValues, terminal: Terminal): Promise<void> {
  const format = valueFormatOf(options);
  await using server = await connectWithKinds(options, terminal);
  const root = { ...oneTarget(words, server.kinds), namespace: server.namespace };
  const look = (): Promise<TreeNode> => objectTree(server.client, server.kinds, root, terminal.signal);
  if (options["watch"] === true) return await live(look, server, format, terminal);
  const node = await look();
  const { colors, stdout } = terminal;
  stdout.write(
    format === undefined
      ? treeText(node, { now: Date.now(), colors })
      : await valueText(treeValue(node), format),
  );
}

/** Kinds that are not in the tree may come into it: everything is looked at this often, in milliseconds. */
const patience = 3000;
/** Changes come in swarms: they are waited for this long, in milliseconds. */
const swarm = 50;

async function live(
  look: () => Promise<TreeNode>,
  { client }: Served,
  format: "json" | "yaml" | undefined,
  terminal: Terminal,
): Promise<void> {
  const { signal, colors, stdout } = terminal;
  const screen = new Screen(terminal);
  const reconnection = new Reconnection(terminal, { onSaid: () => screen.leave() });
  const followed = new Set<ServedKind>();
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  let changed = (): void => {};
  let last = "";
  try {
    while (!signal.aborted) {
      const change = new Promise<void>((resolve) => (changed = resolve));
      const node = await look().catch((error: unknown) => {
        if (last === "") throw error;
        return reconnection.lost(error);
      });
      if (node === undefined) continue;
      reconnection.back();
      for (const kind of kindsIn(node)) {
        if (followed.has(kind)) continue;
        followed.add(kind);
        void watched(client, kind, node.object.metadata.namespace, until, () => changed());
      }
      // Where nothing is drawn over, growing older is no change.
      const value = format ? await itemText(treeValue(node), format) : treeText(node, { now: 0, colors });
      if (format === undefined && (value !== last || stdout.isTTY === true)) {
        screen.draw(treeText(node, { now: Date.now(), colors }));
      } else if (format !== undefined && value !== last) stdout.write(value);
      last = value;
      await Promise.race([change, sleep(systemClock, patience, until)]);
      await sleep(systemClock, swarm, until);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (last === "" || !isNotFound(error)) throw error;
    terminal.stderr.write("The object was deleted.\n");
  } finally {
    ending.abort();
  }
}

/** Tells of changes of a kind. What cannot be watched is looked at now and then all the same. */
async function watched(
  client: Served["client"],
  kind: ServedKind,
  namespace: string | undefined,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  try {
    // What was there before it was watched may have changed since it was shown.
    for await (const _ of follow(client, kind, { namespace, signal, onStart: changed })) changed();
  } catch {
    changed();
  }
}
