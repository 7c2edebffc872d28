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
  /** What the server has against it. */
  readonly problem?: string | undefined;
}

/** Only what people wrote is compared: a server's bookkeeping changes with every write. */
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
  const changes = diff(essence(before), essence(after));
  return { action, kind, apiVersion, namespace, name, before, after, diff: changes };
}

function essence(object: KubeObject | undefined): Json {
  if (object === undefined) return null;
  const { metadata, status: _, ...rest } = object;
  // What was wanted and refused may have none.
  const kept = Object.fromEntries(
    Object.entries({ ...metadata }).filter(([field]) => !bookkeeping.has(field)),
  );
  return { ...rest, metadata: kept } as unknown as Json;
}
