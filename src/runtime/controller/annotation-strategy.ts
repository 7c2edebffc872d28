import type { KubeObject } from "../../model/core.js";
import { immediate, type Strategy, type StrategyInput } from "../queue/strategy.js";

/** Annotation with the priority of an object: a level such as `critical`, or a number. */
export const priorityAnnotation = "fettle.dev/priority";
/** Annotation with the type of the last change of an object, such as `security_update`. */
export const changeTypeAnnotation = "fettle.dev/change-type";

/** Type of change of objects that are being deleted, whatever their annotation says. */
const deletion = "deletion";

/** Lowest number of each level; that of `low` is the one that the word stands for. */
const levels = { critical: 100, high: 10, normal: 0, low: -10 } as const;

export type PriorityLevel = keyof typeof levels;
/** Levels of priority, highest first. */
export const priorityLevels = Object.keys(levels) as readonly PriorityLevel[];

/** A change, with the object as it is in the cache: undefined if it is gone. */
export interface ObjectStrategyInput<T extends KubeObject = KubeObject> extends StrategyInput {
  readonly object: T | undefined;
}

/** Property of changes; all that is given has to hold. */
export interface StrategyCondition {
  /** A level, or a number that the priority has to reach. */
  readonly priority?: PriorityLevel | number | undefined;
  readonly type?: string | undefined;
}

/** A strategy, and the changes that it is for. */
export interface AnnotationRule {
  readonly strategy: Strategy;
  /** Alternatives: one of them has to hold. Default: all changes but deletions. */
  readonly conditions?: readonly StrategyCondition[] | undefined;
}

/** Properties of a change that conditions are about. */
interface ChangeProperties {
  readonly priority: number | undefined;
  readonly type: string | undefined;
}

/**
 * Chooses a strategy by the annotations `fettle.dev/priority` and `fettle.dev/change-type` of an object: the first rule with a
 * condition that holds. Objects without a priority, for whose type there is no rule, count as `normal`, and rules without
 * conditions apply to them.
 *
 * Two kinds of changes are acted upon at once: requests by people, such as `fettle enqueue`, and deletions, so that an object is
 * cleaned up when it is deleted. A condition `type: deletion` holds deletions back, too.
 *
 * @example
 * chooseByAnnotations([
 *   { conditions: [{ priority: "critical" }, { type: "security_update" }], strategy: immediate },
 *   { conditions: [{ priority: "low" }], strategy: scheduled(nights) },
 * ]);
 */
export function chooseByAnnotations(
  rules: readonly AnnotationRule[],
  otherwise: Strategy = immediate,
): (change: ObjectStrategyInput) => Strategy {
  const find = (properties: ChangeProperties): Strategy | undefined =>
    rules.find(({ conditions = [] }) => conditions.some((each) => holds(each, properties)))?.strategy;
  return ({ object, type }) => {
    if (object === undefined || type === "MANUAL") return immediate;
    // Reported once, with the change, rather than at every requeue.
    const priority = type === undefined ? readablePriority(object) : annotatedPriority(object);
    if (object.metadata.deletionTimestamp !== undefined) {
      const named = rules.find(({ conditions = [] }) =>
        conditions.some((each) => each.type === deletion && holds(each, { priority, type: deletion })),
      );
      return named?.strategy ?? immediate;
    }
    const change = { priority, type: object.metadata.annotations?.[changeTypeAnnotation] };
    const others = (): Strategy | undefined =>
      rules.find(
        ({ conditions }) =>
          conditions === undefined ||
          (priority === undefined && conditions.some((each) => holds(each, { ...change, priority: 0 }))),
      )?.strategy;
    return find(change) ?? others() ?? otherwise;
  };
}

/**
 * Priority of an object by its annotation; undefined without one.
 *
 * @throws {RangeError} if it is neither a level nor a number.
 */
function annotatedPriority({ metadata }: Pick<KubeObject, "metadata">): number | undefined {
  const text = metadata.annotations?.[priorityAnnotation]?.trim() ?? "";
  if (text === "") return undefined;
  const value = Object.hasOwn(levels, text) ? levels[text as PriorityLevel] : Number(text);
  if (Number.isFinite(value)) return value;
  throw new RangeError(
    `${JSON.stringify(text)} is not a priority: set the annotation ${priorityAnnotation} to ${priorityLevels.join(", ")} or a number`,
  );
}

/** Like {@link annotatedPriority}, but undefined for an annotation that is neither a level nor a number. */
export function readablePriority(object: Pick<KubeObject, "metadata">): number | undefined {
  try {
    return annotatedPriority(object);
  } catch {
    return undefined;
  }
}

function holds(condition: StrategyCondition, { priority, type }: ChangeProperties): boolean {
  if (condition.type !== undefined && condition.type !== type) return false;
  if (condition.priority === undefined) return condition.type !== undefined;
  if (priority === undefined) return false;
  return typeof condition.priority === "number"
    ? priority >= condition.priority
    : levelOf(priority) === condition.priority;
}

/** The highest level that a priority reaches; below all of them it is low. */
function levelOf(priority: number): PriorityLevel {
  return priorityLevels.find((level) => priority >= levels[level]) ?? "low";
}
