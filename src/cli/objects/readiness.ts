import { findCondition, type Condition, type KubeObject } from "../../model/core.js";
import type { TableCell, Colors } from "../terminal/columns.js";

/** Readiness of an object. */
export interface Readiness {
  /** True, False or Unknown; the phase of an object without conditions; empty without either. */
  readonly ready: string;
  readonly reason: string;
  readonly message: string;
}

/** Condition types that mean readiness, the most common first. */
const readyTypes = ["Ready", "Available", "Complete", "Established"];

export function readinessOf(object: KubeObject): Readiness {
  const { metadata, status } = object;
  const { phase } = (status ?? {}) as { phase?: unknown };
  const { status: ready = "", reason = "", message = "" } = readyCondition(object) ?? {};
  if (metadata.deletionTimestamp) {
    const waiting = metadata.finalizers?.join(", ");
    return { ready: "Deleting", reason, message: waiting === undefined ? message : `waits for ${waiting}` };
  }
  return { ready: ready || (typeof phase === "string" ? phase : ""), reason, message };
}

/** Condition that tells whether an object is ready; undefined without one. */
export function readyCondition({ status }: KubeObject): Condition | undefined {
  const { conditions } = (status ?? {}) as { conditions?: readonly Condition[] };
  if (!Array.isArray(conditions)) return undefined;
  return readyTypes.map((type) => findCondition(conditions, type)).find((found) => found !== undefined);
}

/** True when the condition `Stalled` says that a controller does not retry the object as it is. */
export function isStalled({ metadata, status }: KubeObject): boolean {
  const { conditions } = (status ?? {}) as { conditions?: readonly Condition[] };
  const stalled = Array.isArray(conditions) ? findCondition(conditions, "Stalled") : undefined;
  if (stalled?.status !== "True") return false;
  const { observedGeneration: seen } = stalled;
  return seen === undefined || metadata.generation === undefined || seen >= metadata.generation;
}

/** Readiness as a cell: green for True and 3/3, red for False, yellow for everything in between. */
export function readyCell(text: string, paint: Colors): TableCell {
  return { text, paint: paintOf(text, paint) };
}

function paintOf(ready: string, paint: Colors): (text: string) => string {
  const [, count, total] = /^(\d+)\/(\d+)$/.exec(ready) ?? [];
  if (ready === "True" || (count !== undefined && count === total)) return paint.green;
  if (ready === "False" || ready === "Failed") return paint.red;
  return ready === "-" ? paint.dim : paint.yellow;
}
