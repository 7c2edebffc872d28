import type { Client, Where } from "../../client/client.js";
import type { KindInfo, UntypedObject } from "../../client/kinds/kind.js";
import { isExpired, isGone, sleep, systemClock } from "../../model/core.js";
import { isPassing, type Reconnection } from "../server/reconnection.js";

/** One change of an object; `before` is what it was, as far as it was seen. */
export interface Followed {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: UntypedObject;
  readonly before?: UntypedObject | undefined;
}

export interface FollowOptions extends Where {
  readonly signal: AbortSignal;
  /** Is told of all that is there at first; what follows are changes of it. */
  readonly onStart?: ((objects: readonly UntypedObject[]) => void | Promise<void>) | undefined;
  /** Says that the server cannot be reached, and waits for it; without one, it is waited for in silence. */
  readonly reconnection?: Reconnection | undefined;
}

/** Watches end and are begun again; so long that it is no burden, so short that a dead connection is noticed. */
const watchSeconds = 290;
const pause = 1000;

/**
 * All changes of objects of a kind from now on, until the signal aborts. What a watch missed, since it broke or the server
 * has forgotten the time between, is found by comparing.
 */
export async function* follow(
  client: Client,
  kind: KindInfo,
  options: FollowOptions,
): AsyncGenerator<Followed, void, undefined> {
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
      if (reconnection?.isAway) {
        // A watch may be silent for long.
        await client.list(kind, { ...where, metadataOnly: true, limit: 1, signal });
        reconnection.back();
      }
      const known = (seen ??= new Map<string, UntypedObject>());
      const begun = systemClock.now();
      const watch = { ...where, signal, resourceVersion: version, timeoutSeconds: watchSeconds };
      for await (const { type, object } of client.watch(kind, { ...watch, allowWatchBookmarks: true })) {
        version = object.metadata.resourceVersion ?? version;
        if (type === "BOOKMARK") continue;
        const key = keyOf(object);
        const before = known.get(key);
        if (type === "DELETED") known.delete(key);
        else known.set(key, object);
        yield { type, object, before };
      }
      // A server that ends every watch at once is not asked as fast as it answers.
      if (systemClock.now() - begun < pause) await sleep(systemClock, pause / 2, signal).catch(() => {});
    } catch (error) {
      if (signal.aborted) return;
      if (isExpired(error) || isGone(error)) version = undefined;
      else if (seen === undefined || !isPassing(error)) throw error;
      else if (reconnection !== undefined) await reconnection.lost(error);
      else await sleep(systemClock, pause, signal).catch(() => {});
    }
  }
}

function* differences(
  before: ReadonlyMap<string, UntypedObject>,
  now: ReadonlyMap<string, UntypedObject>,
): Generator<Followed> {
  for (const [key, object] of before) if (!now.has(key)) yield { type: "DELETED", object, before: object };
  for (const [key, object] of now) {
    const old = before.get(key);
    if (old === undefined) yield { type: "ADDED", object };
    else if (old.metadata.resourceVersion !== object.metadata.resourceVersion) {
      yield { type: "MODIFIED", object, before: old };
    }
  }
}

/** By uid, so that what was deleted and made anew under the same name is seen as two objects. */
function keyOf({ metadata }: UntypedObject): string {
  return metadata.uid ?? `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
