import type { KubeObject } from "../../model/core.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import { patternParts } from "../../model/cloud-events/event-pattern.js";
import type { Lookup, ReconcileRequest, Watch } from "./watch.js";

/** Maps an event to the objects to reconcile. */
export type EventMapper<T = unknown> = (
  event: CloudEvent<T>,
  lookup: Lookup,
) => Iterable<ReconcileRequest | KubeObject>;

/** Events that trigger runs. Made by {@link onEvent}. */
export interface EventWatch {
  /** Patterns of event types. */
  readonly events: readonly string[];
  readonly to: EventMapper;
}

/**
 * Triggers runs when events occur. Events that name an object by its kind, and its name or uid, trigger its run without this.
 *
 * @example
 * watches: [onEvent("io.example.switch.*", (event, { byIndex }) => byIndex("switch", event.subject ?? ""))]
 *
 * @throws {EventPatternError}
 */
export function onEvent<T = unknown>(on: string | readonly string[], to: EventMapper<T>): EventWatch {
  const events = typeof on === "string" ? [on] : on;
  for (const pattern of events) patternParts(pattern);
  return { events, to: to as EventMapper };
}

export function isEventWatch(watch: Watch | EventWatch): watch is EventWatch {
  return "events" in watch;
}

/** Watches of objects among those of a controller. */
export function objectWatches(watches: readonly (Watch | EventWatch)[] = []): readonly Watch[] {
  return watches.filter((watch): watch is Watch => !isEventWatch(watch));
}

/** Source of events for controllers. */
export interface EventFeed {
  /** Calls back with events whose types match a pattern, from now on; the returned function ends that. */
  subscribe(patterns: readonly string[], listener: (event: CloudEvent) => void): () => void;
  /** Calls back with events that are no change of an object, but name an object of a kind. */
  subscribeKind(
    kind: { readonly apiVersion: string; readonly kind: string },
    listener: (event: CloudEvent, object: NamedObject) => void,
  ): () => void;
}

/** Object that an event names, by its name or its uid. */
export interface NamedObject {
  readonly apiVersion?: string | undefined;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
}

/** Object that an event names in its attributes, or else in its data; undefined if it names none. */
export function objectNamedBy(event: CloudEvent): NamedObject | undefined {
  const { objectapiversion, objectkind, objectnamespace, objectname, objectuid } = event;
  if (objectkind !== undefined) {
    if (objectname === undefined && objectuid === undefined) return undefined;
    return {
      apiVersion: objectapiversion,
      kind: objectkind,
      namespace: objectnamespace,
      name: objectname,
      uid: objectuid,
    };
  }
  if (typeof event.data !== "object" || event.data === null) return undefined;
  const data = event.data as Readonly<Record<string, unknown>>;
  const kind = textIn(data, "kind");
  const metadata = (typeof data["metadata"] === "object" && data["metadata"]) || data;
  const fields = metadata as Readonly<Record<string, unknown>>;
  const name = textIn(fields, "name");
  const uid = textIn(fields, "uid");
  if (kind === undefined || (name === undefined && uid === undefined)) return undefined;
  return { apiVersion: textIn(data, "apiVersion"), kind, namespace: textIn(fields, "namespace"), name, uid };
}

function textIn(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
