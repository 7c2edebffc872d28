import type { History } from "../history.js";
import { checkDeletes } from "./deletes.js";
import { Log } from "./log.js";
import { checkPuts } from "./puts.js";
import { checkGet, checkList } from "./reads.js";
import { RealTime } from "./real-time.js";
import type { Report, Violation } from "./report.js";
import { checkWatch } from "./watches.js";

/**
 * Checks a history against the promises of the API: one sequence of changes with increasing revisions explains all
 * responses and events, in an order that agrees with real time.
 *
 * The sequence need not be searched for, because the server names it: every version has its revision, and every version
 * names the write that made it.
 */
export function checkHistory(history: History): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (rule, detail) => violations.push({ rule, detail });
  const { operations, watches, reference } = history;
  const log = new Log(reference, report);
  const time = new RealTime(history, log);
  const puts = operations.filter((operation) => operation.type === "put");
  checkPuts(puts, log, time, report);
  checkDeletes(
    operations.filter((operation) => operation.type === "delete" || operation.type === "deletecollection"),
    log,
    time,
    report,
  );
  for (const operation of operations) {
    if (operation.type === "get") checkGet(operation, log, time, report);
    if (operation.type === "list") checkList(operation, log, time, report);
  }
  for (const watch of watches) checkWatch(watch, log, report);
  return violations;
}
