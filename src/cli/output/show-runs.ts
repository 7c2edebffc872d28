import type { RunList, RunReport } from "../../plane/management/contract.js";
import type { Terminal } from "../command/command.js";
import type { ManagementClient } from "../server/management-client.js";
import { Reconnection } from "../server/reconnection.js";
import { runText } from "./run-text.js";
import { writeItem, printValue, type ValueFormat } from "./value-output.js";

/** Prints runs, separated by empty lines. */
export async function showRuns(
  list: RunList,
  format: ValueFormat,
  terminal: Pick<Terminal, "stdout" | "colors">,
): Promise<void> {
  await printValue(terminal, format, list, () =>
    separated(list.runs)
      .map((part) => (typeof part === "string" ? part : `${runText(part, terminal.colors)}\n`))
      .join("\n"),
  );
}

/** Inserts a separator between the runs of an object and those of a later object of the same name. */
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
  /** Number of past runs. */
  readonly limit: number;
}

/** Prints the last runs, then each new run when it ends, until Ctrl-C. */
export async function printRuns(
  plane: ManagementClient,
  query: FollowedRuns,
  format: ValueFormat,
  terminal: Terminal,
): Promise<void> {
  let separator = "";
  for await (const run of endedRuns(plane, query, terminal)) {
    await writeItem(terminal, format, run, () => `${separator}${runText(run, terminal.colors)}\n`);
    separator = "\n";
  }
}

/** Yields every run once, including those that ended while the control plane could not be reached. */
export async function* endedRuns(
  plane: ManagementClient,
  { limit, ...filter }: FollowedRuns,
  terminal: Terminal,
): AsyncGenerator<RunReport, void, undefined> {
  const { runs } = await plane.runs({ ...filter, limit: Math.max(1, limit) });
  if (limit > 0) yield* runs;
  // With limit 0, too, the last run is requested: the stream continues after it.
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
