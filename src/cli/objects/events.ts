import type { Client } from "../../client/client.js";
import type { KindInfo, UntypedObject } from "../../client/kinds/kind.js";
import { formatAge, parseTime, type KubeObject } from "../../model/core.js";
import { cellText, type TableCell, type Colors } from "../terminal/columns.js";

/** Kubernetes' Event of the core group, as far as it is printed. */
export interface PrintedEvent extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null } | null;
  readonly involvedObject?: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}

/** Kind of events, which every server has. */
export const eventKind: KindInfo = { apiVersion: "v1", kind: "Event", plural: "events", scope: "Namespaced" };

/** Field selector for the events of an object. */
export function eventSelector(kind: string, name: string): string {
  return `involvedObject.kind=${kind},involvedObject.name=${name}`;
}

/** Lists the events of an object. Events of cluster-scoped objects may be in any namespace. */
export async function listEvents(
  client: Client,
  { kind, metadata }: UntypedObject,
  signal?: AbortSignal,
): Promise<readonly PrintedEvent[]> {
  const { name = "", namespace, uid } = metadata;
  const fieldSelector = eventSelector(kind, name);
  const { items } = await client.list(eventKind, { namespace, fieldSelector, signal });
  // Drops the events of an earlier object of the same name; an event without uid may belong to either.
  return items.filter(
    ({ involvedObject }: PrintedEvent) => !involvedObject?.uid || involvedObject.uid === uid,
  );
}

/** Sorts events by the time they were last seen, oldest first. */
export function sortByTime(events: readonly PrintedEvent[]): readonly PrintedEvent[] {
  return events.toSorted((a, b) => lastSeen(a) - lastSeen(b));
}

/** Age and count of an event: `5m`, `5m (x3 over 1h)`. */
export function ageText(event: PrintedEvent, now: number): string {
  const count = event.series?.count ?? event.count ?? 1;
  const last = formatAge(now - lastSeen(event));
  if (count <= 1) return last;
  return `${last} (x${count} over ${formatAge(now - timeOf(event.firstTimestamp ?? event.eventTime))})`;
}

/** Component that reported an event. */
export function sourceText({ source, reportingComponent }: PrintedEvent): string {
  return source?.component || reportingComponent || "<unknown>";
}

/** Message of an event on one line. */
export function messageText({ message = "" }: PrintedEvent): string {
  return cellText(message.trim().replaceAll(/\s*\n\s*/g, " "));
}

export const eventTitles = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "FROM", "MESSAGE"] as const;

/** Row of an event below {@link eventTitles}. */
export function eventRow(event: PrintedEvent, now: number, paint: Colors): readonly TableCell[] {
  const { reason, involvedObject } = event;
  const object = `${involvedObject?.kind ?? ""}/${involvedObject?.name ?? ""}`;
  return [
    ageText(event, now),
    typeCell(event, paint),
    cellText(reason),
    { text: cellText(object), paint: paint.bold },
    { text: cellText(sourceText(event)), paint: paint.dim },
    messageText(event),
  ];
}

/** Type of an event as a cell: Warnings are yellow. */
export function typeCell({ type }: PrintedEvent, { yellow, green }: Colors): TableCell {
  return { text: cellText(type), paint: type === "Warning" ? yellow : green };
}

/** Milliseconds since 1970. */
function lastSeen(event: PrintedEvent): number {
  const { series, lastTimestamp, eventTime, firstTimestamp, metadata } = event;
  return timeOf(
    series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp,
  );
}

function timeOf(time: string | null | undefined): number {
  try {
    return time ? parseTime(time) : Number.NaN;
  } catch {
    return Number.NaN;
  }
}
