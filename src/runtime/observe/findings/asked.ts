import type { Run, Trigger } from "../../runs/run.js";
import { isHasty, isManual } from "./causes.js";

/** A run that was asked for while the one before was under way. */
export interface Asked {
  /** The reasons that were given, in their order. */
  readonly reasons: readonly string[];
  /** How long after the beginning and before the end of the run before, in milliseconds. */
  readonly afterStart: number;
  readonly beforeEnd: number;
}

/** By how much the moments may differ at least, in milliseconds: clocks show no less. */
const leastSlack = 2;
/** The same as a part of how long the run took. */
const slack = 0.05;

/** When a run was asked for by hand, and all who asked did so during the run before and wanted it at once. */
export function askedDuring(
  { startedAt, endedAt }: { readonly startedAt: number | undefined; readonly endedAt: number },
  { triggers, droppedTriggers }: Run,
): Asked | undefined {
  if (startedAt === undefined || droppedTriggers > 0 || !triggers.some(isManual)) return undefined;
  const asked = triggers.filter(isManual);
  const isWithin = (trigger: Trigger): boolean =>
    isHasty(trigger) && trigger.at >= startedAt && trigger.at <= endedAt;
  const [first] = asked;
  const last = asked.at(-1);
  if (first === undefined || last === undefined || !asked.every(isWithin)) return undefined;
  const reasons = asked.map(({ text = "" }) => text);
  return { reasons, afterStart: first.at - startedAt, beforeEnd: endedAt - last.at };
}

/**
 * Whether two were asked for in the same way: for the same reasons, and at the same point of a run. So it is when a run
 * asks for the next one; who asks from outside does so at any time.
 */
export function isAlike(one: Asked, other: Asked): boolean {
  if (one.reasons.join("\n") !== other.reasons.join("\n")) return false;
  const most = Math.max(leastSlack, slack * (other.afterStart + other.beforeEnd));
  return (
    Math.abs(one.afterStart - other.afterStart) < most || Math.abs(one.beforeEnd - other.beforeEnd) < most
  );
}

/** In words, as what keeps a loop going. */
export function describeAsked({ reasons }: Asked): string {
  const said = [...new Set(reasons)].filter((reason) => reason !== "").join(", ");
  return `being asked for again in every run${said === "" ? "" : ` (${said})`}`;
}
