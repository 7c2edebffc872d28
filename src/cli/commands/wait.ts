import { UsageError, type Command, type OptionValues, type Terminal } from "../command/command.js";
import { formatDuration, isNotFound } from "../../model/core.js";
import { durationOption, selectionOptions, textOption, connectionOptions } from "../command/options.js";
import { titleOf } from "../objects/find-kind.js";
import { untilObject, type WatchedObject } from "../objects/until-object.js";
import { startProgress } from "../terminal/progress.js";
import { parseGoal, type Goal } from "./wait/goal.js";
import { connect, type ServerConnection } from "../server/connect.js";
import { resolveObjects, getObject } from "../objects/resolve-objects.js";

export const command: Command = {
  arguments: "<kind> [name...]",
  description:
    "Wait until objects reach a state. Exits with 0 when all have, and with 124 on timeout, showing their current state. Exits with 1 at once, with the reason, when an object cannot reach it: it was deleted, or its condition Stalled is True.",
  options: [
    ...connectionOptions,
    ...selectionOptions,
    {
      flags: "--for <goal>",
      summary:
        "state: condition=Ready, condition=Ready=False, delete, create, or jsonpath='{.status.phase}'=Done (required)",
      values: ["condition=Ready", "condition=", "delete", "create", "jsonpath="],
    },
    {
      flags: "--timeout <time>",
      summary: "maximum time to wait, such as 30s or 5m; 0 checks once",
      default: "30s",
    },
    { flags: "--all", summary: "all objects of the kind in the namespace" },
  ],
  examples: [
    ["fettle wait site/hello --for condition=Ready", "until its condition Ready is True"],
    ["fettle wait sites --all --for condition=Ready --timeout 5m", "until all are ready"],
    ["fettle wait site/hello --for delete", "until it is deleted"],
    ["fettle wait site/hello --for jsonpath='{.status.published}'=3", "until a field has a value"],
  ],
  async run(words, options, terminal) {
    const forOption = textOption(options, "for");
    if (forOption === undefined) {
      throw new UsageError(
        "missing --for, such as --for condition=Ready, --for delete or --for jsonpath='{.status.phase}'=Done",
      );
    }
    const goal = parseGoal(forOption);
    const timeout = (await durationOption(options, "timeout")) ?? 30_000;
    await using server = await connect(options, terminal);
    const waited = await findWaited(words, options, terminal, server, goal);
    if (waited.length === 0) {
      if (goal.type === "delete") return 0;
      throw new Error("no matching objects to wait for");
    }
    using progress = startProgress(terminal);
    const limit = AbortSignal.timeout(Math.max(timeout, 1));
    const failed = new AbortController();
    const signal = AbortSignal.any([terminal.signal, limit, failed.signal]);
    await Promise.all(
      waited.map(async (each) => {
        await look(server, each, goal, timeout === 0 ? undefined : signal, terminal, progress);
        // One object that cannot reach the goal decides the result.
        if (each.outcome === "failed") failed.abort();
      }),
    );
    progress.clear();
    if (terminal.signal.aborted) return;
    const unmet = waited.filter(({ outcome }) => outcome !== "met");
    if (unmet.length === 0) return 0;
    const hopeless = unmet.find(({ outcome }) => outcome === "failed");
    if (hopeless !== undefined)
      throw new Error(`${hopeless.title} cannot become ${goal.text}: ${hopeless.state}`);
    for (const { title, state } of unmet) terminal.stderr.write(`${title}: ${state}\n`);
    terminal.stderr.write(`fettle: timed out after ${formatDuration(timeout)} waiting for ${goal.text}\n`);
    return 124;
  },
};

interface Waited extends WatchedObject {
  readonly title: string;
  /** Current state, if it is not the goal. */
  state: string;
  /** `failed` when the object cannot reach the goal. */
  outcome: "waiting" | "met" | "failed";
}

async function look(
  { client }: ServerConnection,
  waited: Waited,
  goal: Goal,
  signal: AbortSignal | undefined,
  terminal: Terminal,
  progress: ReturnType<typeof startProgress>,
): Promise<void> {
  let wasThere = false;
  const holds = (object: Parameters<Goal["state"]>[0]): boolean => {
    const state = goal.state(object);
    const obstacle = object === undefined ? undefined : goal.obstacle?.(object);
    if (state === undefined) waited.outcome = "met";
    else if (obstacle !== undefined || (object === undefined && wasThere)) waited.outcome = "failed";
    waited.state = (state === undefined ? undefined : obstacle) ?? state ?? "";
    wasThere ||= object !== undefined;
    if (waited.outcome === "waiting") progress.show(`waiting for ${waited.title}: ${waited.state}`);
    return waited.outcome !== "waiting";
  };
  if (signal === undefined) {
    holds(await client.find(waited.kind, waited, { signal: terminal.signal }));
  } else await untilObject(client, waited, holds, signal);
  if (waited.outcome !== "met") return;
  progress.clear();
  terminal.stdout.write(`${waited.title} ${goal.met}\n`);
}

async function findWaited(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
  server: ServerConnection,
  goal: Goal,
): Promise<readonly Waited[]> {
  const { signal } = terminal;
  const { targets, selection } = await resolveObjects(words, options, server);
  const waited: Waited[] = [];
  for (const { kind, names } of targets) {
    const add = (name: string, namespace: string | undefined): void => {
      const title = titleOf(kind, name);
      waited.push({ kind, name, namespace, title, state: "not checked yet", outcome: "waiting" });
    };
    for (const name of names) {
      const { namespace } = server;
      // A missing object is an error, unless its creation or deletion is waited for.
      if (goal.type === "state") await getObject(server, { kind, name, namespace }, terminal);
      add(name, namespace);
    }
    if (names.length > 0) continue;
    if (goal.type === "create") throw new UsageError("--for create needs the names of objects");
    if (options["all"] !== true && !selection.labelSelector && !selection.fieldSelector) {
      throw new UsageError(`missing names of ${kind.plural}; give names, -l LABELS, or --all`);
    }
    try {
      const { items } = await server.client.list(kind, { ...selection, metadataOnly: true, signal });
      for (const { metadata } of items) add(metadata.name ?? "", metadata.namespace);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return waited;
}
