import type { Controllers } from "../../../runtime/start/start-controllers.js";
import { isNew, sentOf } from "../../../runtime/runs/render-run.js";
import type { Run, WriteRecord } from "../../../runtime/runs/run.js";
import type { ToldRun } from "../contract.js";
import { told } from "../lines.js";
import { changesOf } from "../shown-object.js";

/** Which runs are meant. */
export interface RunFilter {
  readonly kind?: string | undefined;
  readonly key?: string | undefined;
  readonly controller?: string | undefined;
  /** Only what ended after the run with this id; all that is remembered, when that one is not. */
  readonly after?: string | undefined;
}

/** The last runs that match, oldest first. */
export function lastRuns(
  { runs }: Controllers,
  filter: RunFilter,
  limit: number,
  reveal: boolean,
): readonly ToldRun[] {
  const { kind, key, after } = filter;
  const candidates = kind !== undefined && key !== undefined ? runs.of(kind, key) : [...runs.all()];
  const matching = candidates.filter((run) => matches(run, filter));
  const fresh =
    after === undefined ? matching : matching.slice(matching.findIndex(({ id }) => id === after) + 1);
  return limit === 0 ? [] : fresh.slice(-limit).map((run) => toldRun(run, reveal));
}

/** The last runs that match, then those that end from now on; none is missed and none is told twice. */
export async function* followRuns(
  controllers: Controllers,
  filter: RunFilter,
  {
    limit,
    reveal,
    signal,
  }: { readonly limit: number; readonly reveal: boolean; readonly signal: AbortSignal },
): AsyncGenerator<ToldRun, void, undefined> {
  let before: readonly ToldRun[] = [];
  const live = told<Run>((tell) => {
    before = lastRuns(controllers, filter, limit, reveal);
    return controllers.runs.follow((run) => void (matches(run, filter) && tell(run)));
  }, signal);
  // The first step subscribes; it is waited for only after what was there has been told.
  let next = live.next();
  for (const run of before) yield run;
  for (;;) {
    const { done, value } = await next;
    if (done || value === undefined) return;
    yield toldRun(value, reveal);
    next = live.next();
  }
}

function matches(run: Run, { kind, key, controller }: RunFilter): boolean {
  return (
    (kind === undefined || run.kind === kind) &&
    (key === undefined || run.key === key) &&
    (controller === undefined || run.controller === controller)
  );
}

function toldRun(run: Run, reveal: boolean): ToldRun {
  return { ...run, writes: run.writes.map((write) => toldWrite(write, reveal)) };
}

function toldWrite(write: WriteRecord, reveal: boolean): ToldRun["writes"][number] {
  const { verb, kind, namespace, name, subresource, at, error, before, after } = write;
  // What a delete leaves behind is no change of the object.
  const isWritten = error === undefined && after !== undefined && verb !== "delete";
  const sent = reveal ? write.sent : sentOf(write);
  return {
    verb,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    namespace,
    name,
    subresource,
    at,
    error,
    isNew: isNew(write),
    ...(sent !== undefined && { sent }),
    changes: isWritten && sent === undefined ? changesOf(before, after, reveal) : [],
  };
}
