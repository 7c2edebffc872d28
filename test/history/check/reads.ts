import type { GetOperation, ListOperation, Register } from "../history.js";
import type { Log } from "./log.js";
import type { RealTime } from "./real-time.js";
import { sameRegister, show, type Report } from "./report.js";

/**
 * Checks that a get returned a version that was current while it was handled. What any client had seen before counts,
 * so this includes that clients read their own writes and never read backwards.
 */
export function checkGet(get: GetOperation, log: Log, time: RealTime, report: Report): void {
  const seen = time.seenBefore(get.invoked);
  const { found } = get;
  const isFound = (register: Register | undefined): boolean =>
    register === undefined || found === undefined ? register === found : sameRegister(register, found);
  const possible = log.versionsBetween(get.name, seen, time.newestAt(get.returned));
  if (possible.some(({ register }) => isFound(register))) return;
  const detail = `get of ${get.name} by ${get.client} after revision ${seen} returned ${show(found)}, not ${possible.map(({ register }) => show(register)).join(" or ")}`;
  const existed = log.versionsBetween(get.name, 0, seen).some(({ register }) => isFound(register));
  report(existed ? "stale read" : "wrong read", detail);
}

/** Checks that a list shows one revision that is new enough, and exactly the objects that existed at it. */
export function checkList(list: ListOperation, log: Log, time: RealTime, report: Report): void {
  const what = describe(list);
  if (list.pages === "future") {
    report("lost revision", `${what}: the server does not know this revision, which it had sent before`);
    return;
  }
  const revisions = new Set(list.pages.map(({ revision }) => revision));
  const revision = list.pages[0]?.revision ?? 0;
  if (revisions.size > 1) report("wrong read", `${what} has pages of the revisions ${[...revisions].join()}`);
  if (list.at?.match === "Exact" && revision !== list.at.revision) {
    report("wrong read", `${what} returned revision ${revision}`);
  }
  const oldest = list.at === undefined ? time.seenBefore(list.invoked) : list.at.revision;
  if (revision < oldest)
    report("stale read", `${what} returned revision ${revision}, but ${oldest} was seen before`);
  if (revision > time.newestAt(list.returned)) {
    report("order", `${what} returned revision ${revision}, which is later than its response`);
  }
  const items = list.pages.flatMap((page) => page.items);
  const difference = compare(items, log.stateAt(revision, list.side));
  if (difference !== undefined) report("wrong read", `${what} at revision ${revision}: ${difference}`);
}

/** First difference between objects that were read and those that should have been. */
export function compare(items: readonly Register[], expected: readonly Register[]): string | undefined {
  for (let index = 0; index < Math.max(items.length, expected.length); index++) {
    const [item, other] = [items[index], expected[index]];
    if (item === undefined || other === undefined || !sameRegister(item, other)) {
      return `${show(item)} instead of ${show(other)}`;
    }
  }
  return undefined;
}

function describe({ client, side, at }: ListOperation): string {
  const which = at === undefined ? "" : ` ${at.match} ${at.revision}`;
  return `list of ${side ?? "everything"}${which} by ${client}`;
}
