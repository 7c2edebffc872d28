import type { Register, Side, WatchRecord } from "../history.js";
import { matches, type Change, type Log } from "./log.js";
import { compare } from "./reads.js";
import { sameRegister, show, type Report } from "./report.js";

interface ExpectedEvent {
  readonly event: "ADDED" | "MODIFIED" | "DELETED";
  readonly register: Register;
}

/**
 * Checks that a watcher received every matching change once, in order, without a gap across reconnects, and that the
 * state it built from its events is the state at its last revision.
 */
export function checkWatch({ client, side, steps }: WatchRecord, log: Log, report: Report): void {
  const expected = eventsOf(log, side);
  let next = 0;
  let position = 0;
  const state = new Map<string, Register>();
  /** Events up to a revision that the watcher should have received by now. */
  const skipTo = (revision: number): void => {
    for (; (expected[next]?.register.revision ?? Infinity) <= revision; next++) {
      const { event, register } = expected[next] as ExpectedEvent;
      report("lost event", `${client} did not receive ${event} ${show(register)} after revision ${position}`);
    }
  };
  const moveTo = (revision: number, items: readonly Register[]): void => {
    position = revision;
    next = expected.findIndex(({ register }) => register.revision > revision);
    if (next < 0) next = expected.length;
    state.clear();
    for (const item of items) state.set(item.name, item);
  };
  for (const step of steps) {
    switch (step.type) {
      case "listed": {
        const { revision, items } = step.page;
        const difference = compare(items, log.stateAt(revision, side));
        if (difference !== undefined) report("wrong read", `list of ${client} at ${revision}: ${difference}`);
        moveTo(revision, items);
        break;
      }
      case "event": {
        const { register, event } = step;
        if (register.revision <= position) {
          report(
            "repeated event",
            `${client} received ${event} ${show(register)} after revision ${position}`,
          );
          break;
        }
        skipTo(register.revision - 1);
        const wanted = expected[next];
        if (wanted === undefined || wanted.event !== event || !sameRegister(wanted.register, register)) {
          report(
            "wrong event",
            `${client} received ${event} ${show(register)} instead of ${wanted?.event} ${show(wanted?.register)}`,
          );
        }
        if (wanted?.register.revision === register.revision) next++;
        position = register.revision;
        if (event === "DELETED") state.delete(register.name);
        else state.set(register.name, register);
        break;
      }
      case "bookmark":
        if (step.revision < position)
          report("order", `${client} received the bookmark ${step.revision} after ${position}`);
        skipTo(step.revision);
        position = Math.max(position, step.revision);
        break;
      case "opened":
        // Usually it resumes where it was.
        if (step.from !== position) moveTo(step.from, log.stateAt(step.from, side));
        break;
      case "future":
        report(
          "lost revision",
          `${client} resumed from ${step.from}, which the server does not know any more`,
        );
        break;
      case "expired":
        break;
    }
  }
  const replayed = [...state.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const difference = compare(replayed, log.stateAt(position, side));
  if (difference !== undefined) report("wrong event", `the state of ${client} at ${position}: ${difference}`);
}

/** Events of a watch with a selector: an object that begins or ceases to match is added or deleted. */
function eventsOf(log: Log, side: Side | undefined): ExpectedEvent[] {
  return log.changes.flatMap((change) => eventOf(change, side) ?? []);
}

function eventOf({ before, after, revision }: Change, side: Side | undefined): ExpectedEvent | undefined {
  const matched = matches(before, side);
  if (after !== undefined && matches(after, side))
    return { event: matched ? "MODIFIED" : "ADDED", register: after };
  return matched && before !== undefined
    ? { event: "DELETED", register: { ...before, revision } }
    : undefined;
}
