import type { KubeObject } from "../../model/core.js";
import type { ControllerState, DeadList } from "../../plane/management/contract.js";
import { isAnnotatedPaused } from "../../runtime/controller/paused.js";
import type { ServerConnection } from "../server/connect.js";
import type { ServedKind } from "../server/served-kinds.js";
import type { TableCell, Colors } from "../terminal/columns.js";
import { isStalled } from "./readiness.js";

/** Reason why an object is not reconciled. */
export type HeldState = "paused" | "given up";

/** Objects that are not reconciled: paused ones, and those that a controller has given up. */
export interface HeldObjects {
  statesOf(object: KubeObject): readonly HeldState[];
}

/** True for a kind of a CustomResourceDefinition: its group has a domain that is not Kubernetes' own. */
export function isCustomKind({ group }: Pick<ServedKind, "group">): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io");
}

/**
 * Reads which objects are held. A server without the management API, such as Kubernetes, or a user who may not use it, knows
 * only what the objects themselves say: the annotation of a pause, and the condition `Stalled`.
 */
export async function readHeldObjects(
  { plane }: Pick<ServerConnection, "plane">,
  signal: AbortSignal,
): Promise<HeldObjects> {
  let controllers: readonly ControllerState[] = [];
  let letters: DeadList["letters"] = [];
  try {
    ({ controllers } = await plane.controllers());
    if (controllers.some(({ queue }) => queue.dead > 0)) ({ letters } = await plane.dead());
  } catch {
    signal.throwIfAborted();
  }
  return {
    statesOf(object) {
      const { name, namespace } = object.metadata;
      const key = namespace === undefined ? name : `${namespace}/${name}`;
      const own = controllers.filter(({ kind, apiVersion }) => isSameKind({ kind, apiVersion }, object));
      const isPaused =
        isAnnotatedPaused(object) ||
        own.some(({ paused, pausedObjects }) => paused || pausedObjects.some((each) => each === key));
      const isDead = letters.some(
        (letter) => letter.key === key && own.some((each) => each.name === letter.controller),
      );
      return [
        ...(isPaused ? (["paused"] as const) : []),
        ...(isDead || isStalled(object) ? (["given up"] as const) : []),
      ];
    },
  };
}

/** States as a cell: yellow for paused, red for given up. */
export function heldCell(states: readonly HeldState[], paint: Colors): TableCell {
  return { text: states.join(", "), paint: states.includes("given up") ? paint.red : paint.yellow };
}

/** Objects of another version of a kind are the same objects. */
function isSameKind(
  a: { readonly apiVersion: string; readonly kind: string },
  b: { readonly apiVersion: string; readonly kind: string },
): boolean {
  const groupOf = (apiVersion: string): string =>
    apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  return a.kind === b.kind && groupOf(a.apiVersion) === groupOf(b.apiVersion);
}
