import type { KindInfo } from "../../client/kinds/kind.js";
import { diff, type FieldChange, type Json, type KubeObject } from "../../model/core.js";

/** One object that would change. */
export interface PlannedChange {
  readonly action: "create" | "update" | "delete";
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly name: string;
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
  readonly diff: readonly FieldChange[];
  /** Error of the server. */
  readonly problem?: string | undefined;
}

/** Metadata set by the server, which is not compared. */
const bookkeeping: ReadonlySet<string> = new Set([
  "resourceVersion",
  "managedFields",
  "uid",
  "creationTimestamp",
  "generation",
  "ownerReferences",
]);

export function changeOf(
  action: PlannedChange["action"],
  { apiVersion, kind }: KindInfo,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): PlannedChange {
  const { name = "", namespace = "" } = (after ?? before)?.metadata ?? {};
  const changes = diff(comparablePart(before), comparablePart(after));
  return { action, kind, apiVersion, namespace, name, before, after, diff: changes };
}

function comparablePart(object: KubeObject | undefined): Json {
  if (object === undefined) return null;
  const { metadata, status: _, ...rest } = object;
  // A manifest that the server refused may have no metadata.
  const kept = Object.fromEntries(
    Object.entries({ ...metadata }).filter(([field]) => !bookkeeping.has(field)),
  );
  return { ...rest, metadata: kept } as unknown as Json;
}
