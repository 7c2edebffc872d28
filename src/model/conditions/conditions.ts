import type { Clock } from "../time/clock.js";
import { formatTime } from "../time/timestamp.js";

/** Whether a condition holds; `Unknown` while nobody can tell. */
export type ConditionStatus = "True" | "False" | "Unknown";

/** One observation about an object, such as `Ready`. A list of conditions has each type once. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** One word in CamelCase that programs can compare. */
  readonly reason: string;
  /** What people read. */
  readonly message: string;
  /** When `status` last changed; a new reason or message alone does not move it. */
  readonly lastTransitionTime: string;
  /** The generation of the object that this was observed on. */
  readonly observedGeneration?: number;
}

/** What is known about a condition now; when it came about follows from what was there before. */
export type ConditionUpdate = Pick<Condition, "type" | "status" | "reason" | "observedGeneration"> & {
  readonly message?: string;
};

type Conditions = readonly Condition[];

/**
 * The list with one condition set. The others keep their places, a new one goes to the end, and the very
 * same list comes back when nothing changes, so that a status need not be written.
 *
 * @example
 * const conditions = setCondition(status.conditions, { type: "Ready", status: "True", reason: "Published" }, clock);
 */
export function setCondition(
  conditions: Conditions | undefined,
  update: ConditionUpdate,
  clock: Clock,
): Conditions {
  const before = conditions ?? [];
  const index = before.findIndex(({ type }) => type === update.type);
  const old = before[index];
  const { type, status, reason, message = "", observedGeneration } = update;
  const unmoved = old !== undefined && old.status === status;
  if (
    unmoved &&
    old.reason === reason &&
    old.message === message &&
    old.observedGeneration === observedGeneration
  ) {
    return before;
  }
  const condition: Condition = {
    type,
    status,
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime: unmoved ? old.lastTransitionTime : formatTime(clock.now()),
    reason,
    message,
  };
  return old === undefined ? [...before, condition] : before.with(index, condition);
}

/** The condition of the given type, if the list has it. */
export function findCondition(conditions: Conditions | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition is there and holds. */
export function isConditionTrue(conditions: Conditions | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** Whether the condition is there and does not hold; one that is missing or unknown is not false. */
export function isConditionFalse(conditions: Conditions | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "False";
}

/** The list without a condition; the very same list when it was not there. */
export function removeCondition(conditions: Conditions | undefined, type: string): Conditions {
  const before = conditions ?? [];
  return findCondition(before, type) ? before.filter((condition) => condition.type !== type) : before;
}
