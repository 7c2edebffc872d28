import type { KubeObject } from "../../../model/core.js";
import { SlowWatcher, type StoreEvent } from "../../../store/index.js";
import { pause } from "../../event-loop/turns.js";
import { apiVersionOf, type ResourceType } from "../../resources/resource-type.js";
import { PlainObject, type StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { storeKey, prefixOf } from "../keys.js";
import { planWatch } from "./list-options.js";
import { checkReached } from "./listing.js";
import { withProgress } from "./progress.js";
import type { ObjectEvent, ResourceRequest, ServerWatchOptions } from "../requests.js";
import { narrowScope, parseSelectors, selectionOf, type ObjectFilter } from "./selection.js";
import { storeFailure } from "../store-failures.js";

/** Milliseconds between bookmarks, if the client allows them. */
const bookmarkInterval = 60_000;

/** Objects and bytes of the current state per read from the store. */
const batch = { limit: 500, bytes: 2 ** 20 };

/**
 * Streams the events of a watch: the current state as ADDED events if the options request it, then every change once, in
 * order. Ends at its timeout, when its signal aborts, when its reader is too slow, or when the kind changes or is removed.
 */
export async function* watchObjects(
  context: RegistryContext,
  request: ResourceRequest<ServerWatchOptions>,
): AsyncGenerator<readonly ObjectEvent[], void, undefined> {
  const { store, clock, types } = context;
  const { type, namespace, options, signal } = request;
  const { timeoutSeconds = 0, allowWatchBookmarks = false } = options;
  const selectors = parseSelectors(type, options, request.name);
  const selection = selectionOf(type, selectors);
  const plan = planWatch(type, options);
  const { scope, name } = narrowScope(type, { namespace }, selectors);
  const prefix = name === undefined ? prefixOf(type, scope) : storeKey(type, { ...scope, name });

  const end = new AbortController();
  const stop = (): void => end.abort();
  const isServed = (): boolean => types.find(type.group, type.version, type.plural) === type;
  if (signal?.aborted || !isServed()) return;
  signal?.addEventListener("abort", stop, { once: true });
  const unsubscribe = types.onChange(() => {
    if (!isServed()) stop();
  });
  const timeout = timeoutSeconds > 0 ? clock.after(timeoutSeconds * 1000, stop) : undefined;
  try {
    let { from } = plan;
    if (from !== undefined) await checkReached(context, from);
    if (plan.sendInitial) {
      from = yield* currentState(context, type, prefix, selection, request.user.name, end.signal);
      if (plan.bookmarkInitialEnd && from !== undefined) yield [bookmark(type, from, true)];
    }
    const source = store.watch({ prefix, from, previous: true, signal: end.signal });
    const stream = allowWatchBookmarks ? withProgress(source, clock, bookmarkInterval) : source;
    for await (const next of stream) {
      const events =
        typeof next === "number" ? [bookmark(type, next)] : eventsOf(context, type, next.events, selection);
      if (events.length > 0) yield events;
    }
    if (allowWatchBookmarks && !signal?.aborted) yield [bookmark(type, source.revision)];
  } catch (error) {
    // A slow reader has missed nothing yet: it can resume at the last event.
    if (!(error instanceof SlowWatcher)) throw storeFailure(error);
  } finally {
    timeout?.cancel();
    unsubscribe();
    stop();
    signal?.removeEventListener("abort", stop);
  }
}

/** Yields all selected objects as ADDED events; returns their revision. */
async function* currentState(
  { store, objects }: RegistryContext,
  type: ResourceType,
  prefix: string,
  selection: ObjectFilter,
  user: string,
  end: AbortSignal,
): AsyncGenerator<readonly ObjectEvent[], number | undefined, undefined> {
  let after: string | undefined;
  let revision: number | undefined;
  for (let more = true; more && !end.aborted;) {
    const range = await store.range({ prefix, after, revision, ...batch });
    ({ revision, more } = range);
    after = range.entries.at(-1)?.key;
    const events: ObjectEvent[] = [];
    for (const entry of range.entries) {
      const object = objects.peek(type, entry);
      if (selection !== undefined) await pause(user);
      if (selection === undefined || selection(object.object)) events.push({ type: "ADDED", object });
    }
    if (events.length > 0) yield events;
    if (more) await pause(user);
  }
  return revision;
}

/** Converts changes of the store to events for the selected objects. */
function eventsOf(
  context: RegistryContext,
  type: ResourceType,
  changes: readonly StoreEvent[],
  selection: ObjectFilter,
): ObjectEvent[] {
  const events: ObjectEvent[] = [];
  for (const change of changes) {
    const event =
      selection === undefined
        ? plainEvent(context, type, change)
        : selectedEvent(context, type, change, selection);
    if (event !== undefined) events.push(event);
  }
  return events;
}

function plainEvent(context: RegistryContext, type: ResourceType, change: StoreEvent): ObjectEvent {
  const object = objectOf(context, type, change);
  if (change.type === "delete") return { type: "DELETED", object };
  return { type: change.entry.created === change.entry.revision ? "ADDED" : "MODIFIED", object };
}

function selectedEvent(
  context: RegistryContext,
  type: ResourceType,
  change: StoreEvent,
  selection: (object: KubeObject) => boolean,
): ObjectEvent | undefined {
  const before = change.previous !== undefined && selection(previousOf(context, type, change).object);
  const now = change.type === "put" && selection(objectOf(context, type, change).object);
  if (now) return { type: before ? "MODIFIED" : "ADDED", object: objectOf(context, type, change) };
  if (!before) return undefined;
  // The object left the selection: its last selected state, at the revision at which it left.
  return { type: "DELETED", object: previousOf(context, type, change) };
}

/** Object after a change; for a deletion its last state, at the revision of the deletion. */
function objectOf(context: RegistryContext, type: ResourceType, change: StoreEvent): StoredObject {
  if (change.type === "delete") return previousOf(context, type, change);
  return context.objects.get(type, change.entry);
}

/** Object before a change, at the revision of the change. */
function previousOf(
  { objects }: RegistryContext,
  type: ResourceType,
  { key, previous, revision }: StoreEvent,
): StoredObject {
  if (previous === undefined) throw new Error(`the store sent no previous version of ${key}`);
  return objects.get(type, previous, revision);
}

const initialEventsEnd = { annotations: { "k8s.io/initial-events-end": "true" } };

/** BOOKMARK event: everything up to a revision has been sent. */
function bookmark(type: ResourceType, revision: number, initialEnd = false): ObjectEvent {
  const object = new PlainObject({
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      resourceVersion: String(revision),
      creationTimestamp: null,
      ...(initialEnd && initialEventsEnd),
    },
  });
  return { type: "BOOKMARK", object };
}
