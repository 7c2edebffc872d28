import type { RunList, RunReport } from "../../plane/management/contract.js";
import type { Terminal } from "../command.js";
import type { ManagementClient } from "../management-client.js";
import { Reconnection } from "../reconnection.js";
import { runText } from "./run-text.js";
import { itemText, valueText } from "./value-output.js";

type Format = "json" | "yaml" | undefined;

/** Shows runs that have ended, with an empty line between them. */
export async function showRuns(
  list: RunList,
  format: Format,
  { stdout, colors }: Pick<Terminal, "stdout" | "colors">,
): Promise<void> {
  const texts = separated(list.runs).map((part) =>
    typeof part === "string" ? part : `${runText(part, colors)}\n`,
  );
  stdout.write(format === undefined ? texts.join("\n") : await valueText(list, format));
}

/** Runs, with a line between those of an object and those of a later one of the same name. */
function separated(runs: readonly RunReport[]): readonly (RunReport | string)[] {
  const uids = new Map<string, string>();
  return runs.flatMap((run) => {
    const object = `${run.kind} ${run.key}`;
    const earlier = uids.get(object);
    if (run.uid === undefined || run.uid === earlier) return [run];
    uids.set(object, run.uid);
    if (earlier === undefined) return [run];
    return [`${object} was deleted and created again: the runs below are of another object\n`, run];
  });
}

interface FollowedRuns {
  readonly kind?: string | undefined;
  readonly key?: string | undefined;
  readonly controller?: string | undefined;
  /** How many of those that have ended already. */
  readonly limit: number;
}

/** Shows the last runs, and then each as it ends, until Ctrl-C. */
export async function showRunsAsTheyEnd(
  plane: ManagementClient,
  asked: FollowedRuns,
  format: Format,
  terminal: Terminal,
): Promise<void> {
  const { stdout, colors } = terminal;
  let isFirst = true;
  for await (const run of endedRuns(plane, asked, terminal)) {
    const text = `${isFirst ? "" : "\n"}${runText(run, colors)}\n`;
    stdout.write(format === undefined ? text : await itemText(run, format));
    isFirst = false;
  }
}

/** None is told twice, and none that the control plane remembers is missed while it cannot be reached. */
async function* endedRuns(
  plane: ManagementClient,
  { limit, ...filter }: FollowedRuns,
  terminal: Terminal,
): AsyncGenerator<RunReport, void, undefined> {
  const { runs } = await plane.runs({ ...filter, limit: Math.max(1, limit) });
  if (limit > 0) yield* runs;
  // Also of runs that nobody wants to see, the last is known: what follows is what comes after it.
  let last = runs.at(-1);
  const all = new Reconnection(terminal).resumed(
    () =>
      plane.followRuns({
        ...filter,
        // A control plane that crashed may not have stored the last run; the time then tells what is new.
        ...(last === undefined
          ? { limit: 10_000 }
          : { after: last.id, since: last.startedAt + last.duration }),
      }),
    () => plane.controllers(),
  );
  for await (const run of all) {
    last = run;
    yield run;
  }
}
