import type { KindInfo } from "../../../client/kinds/kind.js";
import type { KubeObject } from "../../../model/core.js";
import type { Store } from "../../../store/index.js";
import { notFoundError } from "../parameters.js";
import type { History, Version } from "../contract.js";
import { changesOf, redacted } from "../redact.js";
import { pastEvents } from "./past-events.js";
import { storeKeyOfKind, objectIn, userIn } from "../../stored/stored.js";
import { writers } from "./writers.js";

export interface HistoryOptions {
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
  readonly reveal: boolean;
  readonly signal: AbortSignal;
}

/**
 * Versions of an object since the store's compaction, also of a deleted one.
 *
 * @throws {ApiError} 404 when there are none.
 */
export async function historyOf(
  store: Store,
  { kind, namespace, name, reveal, signal }: HistoryOptions,
): Promise<History> {
  const key = storeKeyOfKind(kind, { namespace, name });
  const { floor, revision: until } = await store.status();
  const versions: Version[] = [];
  const first = await store.get(key, { revision: floor });
  let before: KubeObject | undefined;
  if (first !== undefined) {
    before = objectIn(first, first.revision);
    const type = first.revision === first.created ? "created" : "updated";
    versions.push(version(type, first.revision, { object: before, user: userIn(first) }, undefined, reveal));
  }
  for await (const event of pastEvents(store, { prefix: key, from: floor, until, signal })) {
    // The prefix also matches longer names.
    if (event.key !== key) continue;
    if (event.type === "delete") {
      if (before !== undefined)
        versions.push(version("deleted", event.revision, { object: before }, undefined, reveal));
      before = undefined;
      continue;
    }
    const after = objectIn(event.entry, event.revision);
    const type = before === undefined ? "created" : isStatusOnly(before, after) ? "status" : "updated";
    versions.push(
      version(type, event.revision, { object: after, user: userIn(event.entry) }, before, reveal),
    );
    before = after;
  }
  if (versions.length > 0) return { versions, floor };
  const where = kind.scope === "Namespaced" ? ` in namespace ${namespace}` : "";
  throw notFoundError(
    `no ${kind.kind} named ${name}${where}, and none since revision ${floor}, where the store's history starts`,
  );
}

function version(
  type: Version["type"],
  revision: number,
  { object, user }: { readonly object: KubeObject; readonly user?: string | undefined },
  before: KubeObject | undefined,
  reveal: boolean,
): Version {
  const { generation, deletionTimestamp } = object.metadata as {
    generation?: number;
    deletionTimestamp?: string;
  };
  const changes = before === undefined ? [] : changesOf(before, object, reveal);
  const by =
    type === "deleted" ? { managers: [], time: deletionTimestamp } : writers(object, before, changes);
  return {
    revision,
    type,
    generation,
    user,
    ...by,
    object: redacted(object, reveal),
    changes,
  };
}

function isStatusOnly(before: KubeObject, after: KubeObject): boolean {
  const changes = changesOf(before, after, true);
  return changes.length > 0 && changes.every(({ path }) => path[0] === "status");
}
