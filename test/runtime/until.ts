import type { Client, Where } from "../../src/client/client.js";
import type { AnyKind, ObjectOf } from "../../src/client/kinds/kind.js";

/** Existing objects of a kind, then all changes; deleted objects are marked as `gone`. */
export async function* follow<K extends AnyKind>(
  client: Client,
  kind: K,
  where: Where & { readonly signal?: AbortSignal } = {},
): AsyncGenerator<{ readonly object: ObjectOf<K>; readonly gone: boolean }, void, undefined> {
  const { items, resourceVersion } = await client.list(kind, where);
  for (const object of items) yield { object, gone: false };
  for await (const { type, object } of client.watch(kind, { ...where, resourceVersion })) {
    if (type !== "BOOKMARK") yield { object, gone: type === "DELETED" };
  }
}

/** Resolves with an object once a condition holds; undefined stands for a missing object. */
export async function until<K extends AnyKind>(
  client: Client,
  kind: K,
  name: string,
  holds: (object: ObjectOf<K> | undefined) => boolean,
): Promise<ObjectOf<K> | undefined> {
  const where = { fieldSelector: `metadata.name=${name}` };
  const { items, resourceVersion } = await client.list(kind, where);
  if (holds(items[0])) return items[0];
  for await (const { type, object } of client.watch(kind, { ...where, resourceVersion })) {
    if (type === "BOOKMARK") continue;
    const now = type === "DELETED" ? undefined : object;
    if (holds(now)) return now;
  }
  throw new Error("the watch ended before the condition held");
}

/** Resolves when a condition holds that is not visible in an object of the API. */
export async function eventually(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
