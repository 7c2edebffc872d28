import type { Client } from "../../client/client.js";
import type { KindInfo, UntypedObject } from "../../client/kinds/kind.js";
import { follow } from "./follow.js";

/** An object that is looked at. */
export interface Looked {
  readonly kind: KindInfo;
  readonly name: string;
  readonly namespace: string | undefined;
}

/**
 * Looks at an object, now and whenever it changes, until it is as wanted; undefined stands for one that is not there. Returns
 * false when the signal aborted first.
 */
export async function untilObject(
  client: Client,
  { kind, name, namespace }: Looked,
  holds: (object: UntypedObject | undefined) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  let isDone = false;
  const ended = new AbortController();
  const where = { namespace, fieldSelector: `metadata.name=${name}` };
  const look = (object: UntypedObject | undefined): void => {
    if (isDone || !holds(object)) return;
    isDone = true;
    ended.abort();
  };
  const changes = follow(client, kind, {
    ...where,
    signal: AbortSignal.any([signal, ended.signal]),
    onStart: ([object]) => look(object),
  });
  for await (const { type, object } of changes) {
    look(type === "DELETED" ? undefined : object);
    if (isDone) break;
  }
  return isDone;
}
