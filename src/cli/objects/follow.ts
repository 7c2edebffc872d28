import type { Client, Where } from "../../client/client.js";
import type { KindInfo, UntypedObject } from "../../client/kinds/kind.js";
import { isExpired, isGone, sleep, systemClock } from "../../model/core.js";
import { isReconnectable, type Reconnection } from "../server/reconnection.js";

/** Change of an object; `before` is its last version, if it was seen. */
export interface FollowedChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: UntypedObject;
  readonly before?: UntypedObject | undefined;
}

export interface FollowOptions extends Where {
  readonly signal: AbortSignal;
  /** Called with the objects of the first list; changes follow. */
  readonly onStart?: ((objects: readonly UntypedObject[]) => void | Promise<void>) | undefined;
  /** Reports and waits while the server cannot be reached. Default: wait silently. */
  readonly reconnection?: Reconnection | undefined;
}

/** timeoutSeconds of a watch: long enough to be cheap, short enough to notice a dead connection. */
const watchSeconds = 290;
const pause = 1000;

/**
 * Changes of the objects of a kind from now on, until the signal aborts. Changes that a broken or expired watch missed are
 * found by comparing lists.
 */
export async function* follow(
  client: Client,
  kind: KindInfo,
  options: FollowOptions,
): AsyncGenerator<FollowedChange, void, undefined> {
  const { signal, onStart, reconnection, ...where } = options;
  let seen: Map<string, UntypedObject> | undefined;
  let version: string | undefined;
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        const page = await client.list(kind, { ...where, signal });
        const now = new Map(page.items.map((object) => [keyOf(object), object]));
        if (seen === undefined) await onStart?.(page.items);
        else yield* differences(seen, now);
        seen = now;
        version = page.resourceVersion;
      }
      if (reconnection?.isLost) {
        // A list shows at once whether the server is back; a watch may stay silent.
        await client.list(kind, { ...where, metadataOnly: true, limit: 1, signal });
        reconnection.reconnected();
      }
      const objects = (seen ??= new Map<string, UntypedObject>());
      const startedAt = systemClock.now();
      const watch = { ...where, signal, resourceVersion: version, timeoutSeconds: watchSeconds };
      for await (const { type, object } of client.watch(kind, { ...watch, allowWatchBookmarks: true })) {
        version = object.metadata.resourceVersion ?? version;
        if (type === "BOOKMARK") continue;
        const key = keyOf(object);
        const before = objects.get(key);
        if (type === "DELETED") objects.delete(key);
        else objects.set(key, object);
        yield { type, object, before };
      }
      // Do not reopen at once if the server ends every watch immediately.
      if (systemClock.now() - startedAt < pause) await sleep(systemClock, pause / 2, signal).catch(() => {});
    } catch (error) {
      if (signal.aborted) return;
      if (isExpired(error) || isGone(error)) version = undefined;
      else if (seen === undefined || !isReconnectable(error)) throw error;
      else if (reconnection !== undefined) await reconnection.lost(error);
      else await sleep(systemClock, pause, signal).catch(() => {});
    }
  }
}

function* differences(
  before: ReadonlyMap<string, UntypedObject>,
  now: ReadonlyMap<string, UntypedObject>,
): Generator<FollowedChange> {
  for (const [key, object] of before) if (!now.has(key)) yield { type: "DELETED", object, before: object };
  for (const [key, object] of now) {
    const old = before.get(key);
    if (old === undefined) yield { type: "ADDED", object };
    else if (old.metadata.resourceVersion !== object.metadata.resourceVersion) {
      yield { type: "MODIFIED", object, before: old };
    }
  }
}

/** Key by uid, so that an object recreated under the same name counts as another object. */
function keyOf({ metadata }: UntypedObject): string {
  return metadata.uid ?? `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
