import { sentOf } from "../../../runtime/runs/compact-run.js";
import { isNew } from "../../../runtime/runs/render-run.js";
import type { Run, WriteRecord } from "../../../runtime/runs/run.js";
import { matchesRun, type RunQuery, type RunStore } from "../../../runtime/runs/run-store.js";
import type { RunReport } from "../contract.js";
import { buffered } from "../lines.js";
import { changesOf } from "../redact.js";

/** The newest runs that match, oldest first. */
export async function lastRuns(
  runs: RunStore,
  query: RunQuery,
  reveal: boolean,
): Promise<readonly RunReport[]> {
  return (await runs.find(query)).map((run) => runReport(run, reveal));
}

/** The newest runs that match, then each as it ends. */
export async function* followRuns(
  runs: RunStore,
  query: RunQuery,
  { reveal, signal }: { readonly reveal: boolean; readonly signal: AbortSignal },
): AsyncGenerator<RunReport, void, undefined> {
  let stored: Promise<readonly RunReport[]> = Promise.resolve([]);
  const live = buffered<Run>((push) => {
    stored = lastRuns(runs, query, reveal);
    return runs.follow((run) => void (matchesRun(run, query) && push(run)));
  }, signal);
  // Subscribes at once; the result is awaited after the stored runs have been sent.
  let next = live.next();
  yield* await stored;
  for (;;) {
    const { done, value } = await next;
    if (done || value === undefined) return;
    yield runReport(value, reveal);
    next = live.next();
  }
}

/** A run with the differences that its writes made; of Secrets which entries differ, unless revealed. */
export function runReport(run: Run, reveal: boolean): RunReport {
  return { ...run, writes: run.writes.map((write) => writeReport(write, reveal)) };
}

function writeReport(write: WriteRecord, reveal: boolean): RunReport["writes"][number] {
  const { verb, kind, namespace, name, subresource, at, error, before, after } = write;
  // The object that a delete returns is its last state, not a change.
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
