import { clearTimeout, setTimeout } from "node:timers";
import type { Client, ObjectRef } from "../client/client.js";
import type { AnyKind, ObjectOf } from "../client/kinds/kind.js";
import { targetOf } from "../client/object-ref.js";

export interface UntilOptions<K extends AnyKind> {
  readonly kind: K;
  readonly which: ObjectRef;
  /** In milliseconds of real time. */
  readonly limit: number;
  /** True when the plane was closed meanwhile. */
  readonly isClosed: () => boolean;
}

/** Waits until a condition holds for an object, by a watch. The error after the time limit has the object's last state. */
export async function untilHolds<K extends AnyKind>(
  client: Client,
  { kind, which, limit, isClosed }: UntilOptions<K>,
  holds: (object: ObjectOf<K> | undefined) => boolean,
): Promise<ObjectOf<K> | undefined> {
  const info = await client.kind(kind);
  const { name, namespace } = targetOf(info, which, client.namespace);
  const selection = { namespace, fieldSelector: `metadata.name=${name}` };
  const { items, resourceVersion } = await client.list(kind, selection);
  let [last] = items;
  if (holds(last)) return last;
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), limit);
  try {
    const watching = { ...selection, resourceVersion, signal: ending.signal };
    for await (const { type, object } of client.watch(kind, watching)) {
      if (type === "BOOKMARK") continue;
      last = type === "DELETED" ? undefined : object;
      if (holds(last)) return last;
    }
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
  const where = `${info.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
  const seen =
    last === undefined ? "it does not exist" : `it is ${JSON.stringify(withoutNoise(last), null, 2)}`;
  if (isClosed()) throw new Error(`the plane was closed while waiting for ${where}: ${seen}`);
  throw new Error(
    `the condition for ${where} did not hold within ${limit}ms: ${seen}\n(virtual time moves only by advance())`,
  );
}

function withoutNoise(object: object): object {
  const { metadata, ...rest } = object as { metadata: object };
  const { managedFields: _, ...kept } = metadata as { managedFields?: unknown };
  return { ...rest, metadata: kept };
}
