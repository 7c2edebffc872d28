import type { Client } from "../../client/client.js";
import { ConfigMap } from "../../client/kinds/kubernetes.js";
import type { AnyKind } from "../../client/kinds/kind.js";
import { retryOnConflict } from "../../client/retry.js";
import { asApiError, isAlreadyExists, isConflict, sleep, type Clock } from "../../model/core.js";
import { pausedAnnotation } from "../../runtime/controller/paused.js";
import type { Log } from "../../runtime/log/log.js";
import type { ControllerHandle } from "../../runtime/loop/controller-handle.js";

/**
 * ConfigMap with the pauses of whole controllers, in the namespace of the control plane or operator. Its keys are the names of
 * controllers. A value is `*` for all objects, or has one line for each object that the API does not have, such as a row that
 * a poller lists. Objects of the API are paused by their annotation instead.
 */
export const pausesName = "fettle-paused";

const allObjects = "*";

/** Keys of paused objects by controller; undefined stands for all objects. */
type StoredPauses = ReadonlyMap<string, ReadonlySet<string | undefined>>;

/** Stores or removes the pause of a key, or of all objects of a controller; resolves with the paused keys of the controller. */
export function storePause(
  client: Client,
  controller: string,
  key: string | undefined,
  paused: boolean,
): Promise<ReadonlySet<string | undefined>> {
  const attempt = async (): Promise<ReadonlySet<string | undefined>> => {
    const found = await client.find(ConfigMap, pausesName);
    const keys = new Set(pausesIn(found).get(controller));
    if (keys.has(key) === paused) return keys;
    if (paused) keys.add(key);
    else keys.delete(key);
    const { [controller]: _, ...others } = found?.data ?? {};
    const lines = [...keys].map((each) => each ?? allObjects);
    const data = lines.length === 0 ? others : { ...others, [controller]: lines.join("\n") };
    if (found === undefined) await client.create(ConfigMap, { metadata: { name: pausesName }, data });
    else await client.update(ConfigMap, { ...found, data });
    return keys;
  };
  return retryOnConflict(attempt, { retry: (error) => isConflict(error) || isAlreadyExists(error) });
}

/** Sets or removes the annotation that pauses an object in all its controllers. */
export async function annotatePause(
  client: Client,
  kind: AnyKind,
  object: { readonly name: string; readonly namespace?: string | undefined },
  paused: boolean,
): Promise<void> {
  const annotations = { [pausedAnnotation]: paused ? "true" : null };
  await client.patch(kind, object, { metadata: { annotations } } as never);
}

/** Reads the stored pauses; undefined when this user may not. */
export async function readPauses(client: Client, log: Log): Promise<StoredPauses | undefined> {
  try {
    return pausesIn(await client.find(ConfigMap, pausesName));
  } catch (error) {
    if (asApiError(error) === undefined) throw error;
    const { namespace } = client;
    log.warn(
      { err: error },
      `cannot read the ConfigMap ${namespace}/${pausesName}: only pauses of single objects have an effect`,
    );
    return undefined;
  }
}

/** Applies stored pauses to controllers. */
export function applyPauses(handles: readonly ControllerHandle[], pauses: StoredPauses): void {
  for (const handle of handles) handle.setStoredPauses(pauses.get(handle.name) ?? new Set());
}

/** Milliseconds until a watch that has ended is opened again. */
const reopenDelay = 1000;

/** Applies changes of the stored pauses, by whichever process or person, until the signal aborts. */
export async function followPauses(
  client: Client,
  handles: readonly ControllerHandle[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const where = { namespace: client.namespace, fieldSelector: `metadata.name=${pausesName}` };
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await client.list(ConfigMap, { ...where, signal });
      applyPauses(handles, pausesIn(items[0]));
      for await (const { type, object } of client.watch(ConfigMap, { ...where, resourceVersion, signal })) {
        if (type !== "BOOKMARK") applyPauses(handles, pausesIn(type === "DELETED" ? undefined : object));
      }
    } catch {
      // The server is unavailable, as the informers of the controllers report.
    }
    await sleep(clock, reopenDelay, signal).catch(() => {});
  }
}

function pausesIn(found: { readonly data?: Readonly<Record<string, string>> } | undefined): StoredPauses {
  return new Map(
    Object.entries(found?.data ?? {}).map(([controller, text]) => {
      const lines = text.split("\n").map((line) => line.trim());
      return [
        controller,
        new Set(lines.filter((line) => line !== "").map((line) => (line === allObjects ? undefined : line))),
      ];
    }),
  );
}
