import type { DeleteCollectionOperation, DeleteOperation } from "../history.js";
import { matches, type Change, type Log } from "./log.js";
import type { RealTime } from "./real-time.js";
import { show, type Report } from "./report.js";

type Deletion = DeleteOperation | DeleteCollectionOperation;

/** Checks that every acknowledged delete is in the log, and that somebody sent a request for every delete in the log. */
export function checkDeletes(deletes: readonly Deletion[], log: Log, time: RealTime, report: Report): void {
  const deleted = new Map<string, Change>();
  for (const change of log.changes) {
    const { before, after, revision } = change;
    if (after !== undefined || before === undefined) continue;
    deleted.set(before.uid, change);
    if (!deletes.some((request) => explains(request, change, log, time))) {
      report("invented change", `nobody deleted ${show(before)} at revision ${revision}`);
    }
  }
  const acknowledged = new Set<string>();
  for (const request of deletes) {
    if (request.outcome.type !== "ok") continue;
    const uids = "uids" in request.outcome ? request.outcome.uids : [request.outcome.uid];
    for (const uid of uids) {
      const change = deleted.get(uid);
      if (change === undefined) report("lost write", `${describe(request)} of ${uid} was acknowledged`);
      else if (change.revision > time.newestAt(request.returned)) {
        report(
          "order",
          `${describe(request)} has revision ${change.revision}, which is later than its response`,
        );
      }
    }
    if (request.type === "delete") checkSingle(request, uids[0] ?? "", deleted, acknowledged, report);
    else checkComplete(request, log, time, report);
  }
}

function explains(request: Deletion, { before, name, revision }: Change, log: Log, time: RealTime): boolean {
  const { outcome } = request;
  const seen = time.seenBefore(request.invoked);
  if (before === undefined || revision <= seen) return false;
  if (outcome.type === "ok" && revision > time.newestAt(request.returned)) return false;
  if (request.type === "delete") {
    if (request.name !== name || outcome.type === "refused") return false;
    return outcome.type === "unknown" || ("uid" in outcome && outcome.uid === before.uid);
  }
  if (outcome.type === "ok" && "uids" in outcome) return outcome.uids.includes(before.uid);
  // A collection is listed, and then deleted one by one: some are deleted before an error.
  const versions = log.versionsBetween(name, seen, revision - 1);
  return versions.some(({ register }) => register?.uid === before.uid && matches(register, request.side));
}

function checkSingle(
  request: DeleteOperation,
  uid: string,
  deleted: ReadonlyMap<string, Change>,
  acknowledged: Set<string>,
  report: Report,
): void {
  if (acknowledged.has(uid)) report("repeated write", `${describe(request)} succeeded twice for ${uid}`);
  acknowledged.add(uid);
  const before = deleted.get(uid)?.before;
  if (request.expects !== undefined && before !== undefined && before.revision !== request.expects) {
    report("compare-and-swap", `${describe(request)} deleted ${show(before)}`);
  }
}

/** Reports objects that existed and matched all the time while their collection was deleted. */
function checkComplete(request: DeleteCollectionOperation, log: Log, time: RealTime, report: Report): void {
  const first = time.seenBefore(request.invoked);
  const last = time.newestAt(request.returned);
  for (const register of log.stateAt(first, request.side)) {
    const versions = log.versionsBetween(register.name, first, last);
    if (versions.every((version) => matches(version.register, request.side))) {
      report("lost write", `${describe(request)} left ${show(register)}`);
    }
  }
}

function describe(request: Deletion): string {
  const expects = "expects" in request && request.expects !== undefined ? `@${request.expects}` : "";
  const what = request.type === "delete" ? `${request.name}${expects}` : (request.side ?? "everything");
  return `${request.type} of ${what} by ${request.client}`;
}
