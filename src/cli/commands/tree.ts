import { isNotFound, sleep, systemClock } from "../../model/core.js";
import { type Command, type Terminal } from "../command/command.js";
import { follow } from "../objects/follow.js";
import type { ServedKind } from "../server/served-kinds.js";
import { kindsIn, objectTree, type TreeNode } from "./tree/object-tree.js";
import { Screen } from "../terminal/screen.js";
import { treeText, treeValue } from "./tree/tree-text.js";
import { Reconnection } from "../server/reconnection.js";
import {
  itemText,
  valueFormatOf,
  valueOption,
  printValue,
  type ValueFormat,
} from "../output/value-output.js";
import { connect, type ServerConnection } from "../server/connect.js";
import { resolveObject } from "../objects/resolve-objects.js";
import { connectionOptions } from "../command/options.js";

export const command: Command = {
  arguments: "<object> [name]",
  description:
    "Show an object and everything it owns, recursively, with Ready conditions or phases. Works with any Kubernetes API.",
  options: [...connectionOptions, { flags: "-w, --watch", summary: "keep updating" }, valueOption],
  examples: [
    ["fettle tree site/hello", "the site and its pages"],
    ["fettle tree site/hello -w", "the same, updated live"],
  ],
  async run(words, options, terminal) {
    const format = valueFormatOf(options);
    await using server = await connect(options, terminal);
    const root = await resolveObject(words, server);
    const read = (): Promise<TreeNode> => objectTree(server, root, terminal);
    if (options["watch"] === true) return await watchTree(read, server, format, terminal);
    const node = await read();
    await printValue(terminal, format, treeValue(node), () =>
      treeText(node, { now: Date.now(), colors: terminal.colors }),
    );
  },
};

/** Milliseconds between full reads, which find objects of kinds that are not in the tree yet. */
const rereadInterval = 3000;
/** Milliseconds to wait for further changes before the tree is read again. */
const settleTime = 50;

async function watchTree(
  read: () => Promise<TreeNode>,
  { client }: ServerConnection,
  format: ValueFormat,
  terminal: Terminal,
): Promise<void> {
  const { signal, colors, stdout } = terminal;
  const screen = new Screen(terminal);
  const reconnection = new Reconnection(terminal, { onPrint: () => screen.leave() });
  const followed = new Set<ServedKind>();
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  let changed = (): void => {};
  let last = "";
  try {
    while (!signal.aborted) {
      const change = new Promise<void>((resolve) => (changed = resolve));
      const node = await read().catch((error: unknown) => {
        if (last === "") throw error;
        return reconnection.lost(error);
      });
      if (node === undefined) continue;
      reconnection.reconnected();
      for (const kind of kindsIn(node)) {
        if (followed.has(kind)) continue;
        followed.add(kind);
        void watchKind(client, kind, node.object.metadata.namespace, until, () => changed());
      }
      // Ages alone do not count as a change where the output is not redrawn.
      const value = format ? await itemText(treeValue(node), format) : treeText(node, { now: 0, colors });
      if (format === undefined && (value !== last || stdout.isTTY === true)) {
        screen.draw(treeText(node, { now: Date.now(), colors }));
      } else if (format !== undefined && value !== last) stdout.write(value);
      last = value;
      await Promise.race([change, sleep(systemClock, rereadInterval, until)]);
      await sleep(systemClock, settleTime, until);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (last === "" || !isNotFound(error)) throw error;
    terminal.stderr.write("The object was deleted.\n");
  } finally {
    ending.abort();
  }
}

/** Calls back for changes of a kind. A kind that cannot be watched is covered by {@link rereadInterval}. */
async function watchKind(
  client: ServerConnection["client"],
  kind: ServedKind,
  namespace: string | undefined,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  try {
    // Objects may have changed between the read and the start of the watch.
    for await (const _ of follow(client, kind, { namespace, signal, onStart: changed })) changed();
  } catch {
    changed();
  }
}
