import type { UntypedObject } from "../../../client/kinds/kind.js";
import { jsonPathText } from "../../../server/resources/json-path.js";
import { UsageError } from "../../command/command.js";
import { compileRelaxedPath } from "../../output/json-path-template.js";

/** Goal of `fettle wait`. */
export interface Goal {
  readonly type: "delete" | "create" | "state";
  /** Goal as the end of a sentence: `condition Ready=True`. */
  readonly text: string;
  /** Predicate for an object that has reached the goal: `condition met`. */
  readonly met: string;
  /** Current state of an object that has not reached the goal; undefined when it has. */
  state(object: UntypedObject | undefined): string | undefined;
  /** Why an object cannot reach the goal until somebody changes it; undefined when it can. */
  obstacle?(object: UntypedObject): string | undefined;
}

/**
 * Parses the value of `--for`.
 *
 * @example parseGoal("condition=Ready").state(site); // undefined, or "Ready is False: NoTitle, a site needs a title"
 */
export function parseGoal(text: string): Goal {
  if (text.toLowerCase() === "delete") {
    return {
      type: "delete",
      text: "deleted",
      met: "deleted",
      state: (object) => (object === undefined ? undefined : stillThere(object)),
    };
  }
  if (text.toLowerCase() === "create") {
    return {
      type: "create",
      text: "created",
      met: "created",
      state: (object) => (object === undefined ? "not found" : undefined),
    };
  }
  const equals = text.indexOf("=");
  const [what, rest] = equals < 0 ? [text, ""] : [text.slice(0, equals), text.slice(equals + 1)];
  if (what === "condition" && rest !== "") return conditionGoal(rest);
  if (what === "jsonpath" && rest !== "") return pathGoal(rest);
  throw new UsageError(
    `invalid value ${JSON.stringify(text)} for --for; use condition=NAME, condition=NAME=VALUE, delete, create or jsonpath='{PATH}'=VALUE`,
  );
}

function stillThere({ metadata }: UntypedObject): string {
  if (!metadata.deletionTimestamp) return "not deleted";
  const { finalizers = [] } = metadata;
  return `being deleted${finalizers.length > 0 ? `, waiting for finalizers ${finalizers.join(", ")}` : ""}`;
}

interface SeenCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

function conditionGoal(text: string): Goal {
  const equals = text.indexOf("=");
  const [type, wanted] = equals < 0 ? [text, "True"] : [text.slice(0, equals), text.slice(equals + 1)];
  return {
    type: "state",
    text: `${type}=${wanted}`,
    met: `has ${type}=${wanted}`,
    state: (object) => {
      if (object === undefined) return "deleted";
      const found = findCondition(object, type);
      if (found === undefined) return `no condition ${type}`;
      const { status = "" } = found.condition;
      if (status.toLowerCase() === wanted.toLowerCase()) {
        return found.isCurrent
          ? undefined
          : `${type} is ${status} for generation ${found.generation}, not yet for ${object.metadata.generation}`;
      }
      return `${type} is ${status}${reasonText(found.condition)}`;
    },
    obstacle: (object) => {
      const stalled = findCondition(object, "Stalled");
      const isSought = wanted.toLowerCase() === "true" && type.toLowerCase() !== "stalled";
      if (!isSought || stalled?.condition.status !== "True" || !stalled.isCurrent) return undefined;
      return `Stalled${reasonText(stalled.condition)}`;
    },
  };
}

interface FoundCondition {
  readonly condition: SeenCondition;
  /** Generation that the condition describes, if it is known. */
  readonly generation: number | undefined;
  /** False if the condition describes an older generation of the spec. */
  readonly isCurrent: boolean;
}

function findCondition(object: UntypedObject, type: string): FoundCondition | undefined {
  const { conditions, observedGeneration } = (object["status"] ?? {}) as {
    conditions?: readonly SeenCondition[];
    observedGeneration?: number;
  };
  const condition = conditions?.find((each) => each.type?.toLowerCase() === type.toLowerCase());
  if (condition === undefined) return undefined;
  const seen = condition.observedGeneration ?? observedGeneration;
  const { generation } = object.metadata;
  const isCurrent = seen === undefined || generation === undefined || seen >= generation;
  return { condition, generation: seen, isCurrent };
}

function reasonText({ reason = "", message = "" }: SeenCondition): string {
  const why = [reason, message].filter((part) => part !== "").join(", ");
  return why === "" ? "" : `: ${why}`;
}

function pathGoal(text: string): Goal {
  const brace = text.lastIndexOf("}");
  const equals = brace < 0 ? text.lastIndexOf("=") : text[brace + 1] === "=" ? brace + 1 : -1;
  if (brace >= 0 && equals < 0 && brace !== text.length - 1) {
    throw new UsageError(
      `unexpected text after the path in ${JSON.stringify(text)}; use '{PATH}' or '{PATH}'=VALUE`,
    );
  }
  const path = equals < 0 ? text : text.slice(0, equals);
  const wanted = equals < 0 ? undefined : text.slice(equals + 1);
  if (wanted === "") throw new UsageError(`missing value after = in jsonpath=${text}`);
  const find = compileRelaxedPath(path);
  const goal = wanted === undefined ? path : `${path}=${wanted}`;
  return {
    type: "state",
    text: goal,
    met: `has ${goal}`,
    state: (object) => {
      if (object === undefined) return "deleted";
      const found = find(object).map((value) => jsonPathText(value as never));
      if (found.length === 0) return `no field ${path}`;
      if (wanted === undefined || (found.length === 1 && found[0] === wanted)) return undefined;
      return `${path} is ${found.join(" ")}`;
    },
  };
}
