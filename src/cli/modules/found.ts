import { isOperator, type OperatorDefinition } from "../../plane/operators/define-operator.js";
import type { Resource } from "../../model/resource/resource-types.js";
import type { Controller } from "../../runtime/controller/controller.js";
import type { Schedule } from "../../runtime/schedule/schedule.js";

/** What modules have to offer to a control plane, each once. */
export interface ModuleExports {
  readonly controllers: readonly Controller[];
  readonly schedules: readonly Schedule[];
  readonly kinds: readonly Resource[];
  readonly operators: readonly OperatorDefinition[];
}

/**
 * Finds the controllers, schedules, kinds and operators among the exports of a module, under any name and in arrays. They are
 * recognised by their shape, since the module may have another copy of this package. Functions are not called.
 */
export function findIn(exports: Readonly<Record<string, unknown>>): ModuleExports {
  const controllers = new Set<Controller>();
  const schedules = new Set<Schedule>();
  const kinds = new Set<Resource>();
  const operators = new Set<OperatorDefinition>();
  const look = (value: unknown, depth = 0): void => {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value) && depth < 4) for (const item of value) look(item, depth + 1);
    else if (isController(value)) controllers.add(value);
    else if (isSchedule(value)) schedules.add(value);
    else if (isKind(value)) kinds.add(value);
    else if (isOperator(value)) operators.add(value);
  };
  for (const value of Object.values(exports)) look(value);
  return {
    controllers: [...controllers],
    schedules: [...schedules],
    kinds: [...kinds],
    operators: [...operators],
  };
}

function isController(value: object): value is Controller {
  const { name, options, style } = value as Partial<Controller>;
  return (
    typeof name === "string" &&
    isObject(options) &&
    isObject(options.for) &&
    isObject(style) &&
    (style.type === "declarative" || style.type === "plain")
  );
}

function isSchedule(value: object): value is Schedule {
  const { name, timing, work } = value as Partial<Schedule>;
  return typeof name === "string" && isObject(timing) && isObject(work);
}

function isKind(value: object): value is Resource {
  const { apiVersion, kind, plural, versions } = value as Partial<Resource>;
  return (
    typeof apiVersion === "string" &&
    typeof kind === "string" &&
    typeof plural === "string" &&
    Array.isArray(versions)
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
