import type { Client } from "../../client/client.js";
import type { KindInfo, UntypedObject } from "../../client/kinds/kind.js";
import type { ObjectKey } from "../../model/object/object-key.js";
import { follow } from "./follow.js";

/** An object that is waited for. */
export interface WatchedObject extends ObjectKey {
  readonly kind: KindInfo;
}

/**
 * Waits until `holds` returns true for an object, checking it now and after each change; undefined stands for a missing
 * object. Resolves with false when the signal aborts first.
 */
export async function untilObject(
  client: Client,
  { kind, name, namespace }: WatchedObject,
  holds: (object: UntypedObject | undefined) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  let isDone = false;
  const ended = new AbortController();
  const check = (object: UntypedObject | undefined): void => {
    if (isDone || !holds(object)) return;
    isDone = true;
    ended.abort();
  };
  const changes = follow(client, kind, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    signal: AbortSignal.any([signal, ended.signal]),
    onStart: ([object]) => check(object),
  });
  for await (const { type, object } of changes) {
    check(type === "DELETED" ? undefined : object);
    if (isDone) break;
  }
  return isDone;
}
