import type { Clock } from "../time/clock.js";
import { formatTime } from "../time/timestamp.js";

/** Status of a condition; `Unknown` if it cannot be determined. */
export type ConditionStatus = "True" | "False" | "Unknown";

/** Observation about an object, such as `Ready`. A list of conditions has each type at most once. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** CamelCase word for programs to compare. */
  readonly reason: string;
  /** Explanation for people. */
  readonly message: string;
  /** Time of the last change of `status`; a new reason or message alone does not update it. */
  readonly lastTransitionTime: string;
  /** Generation of the object that was observed. */
  readonly observedGeneration?: number;
}

/** New state of a condition; `lastTransitionTime` follows from the previous one. */
export type ConditionUpdate = Pick<Condition, "type" | "status" | "reason" | "observedGeneration"> & {
  readonly message?: string;
};

type Conditions = readonly Condition[];

/**
 * Sets one condition. The others keep their positions, and a new one is appended. Returns the same list if
 * nothing changes, so that the caller can skip writing the status.
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

/** Finds a condition by type. */
export function findCondition(conditions: Conditions | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** True if the condition exists with status `True`. */
export function isConditionTrue(conditions: Conditions | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** True if the condition exists with status `False`. A missing or unknown condition is not false. */
export function isConditionFalse(conditions: Conditions | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "False";
}

/** Removes a condition. Returns the same list if it was not there. */
export function removeCondition(conditions: Conditions | undefined, type: string): Conditions {
  const before = conditions ?? [];
  return findCondition(before, type) ? before.filter((condition) => condition.type !== type) : before;
}
