import { formatAge, parseTime, type KubeObject } from "../../model/core.js";
import { cellText } from "./columns.js";

/** An Event of Kubernetes: something that happened to an object. */
export interface SeenEvent extends KubeObject {
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

/** Milliseconds since 1970. */
function lastSeen(event: SeenEvent): number {
  const { series, lastTimestamp, eventTime, firstTimestamp, metadata } = event;
  return timeOf(
    series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp,
  );
}

/** The oldest first. */
export function inTime(events: readonly SeenEvent[]): readonly SeenEvent[] {
  return events.toSorted((a, b) => lastSeen(a) - lastSeen(b));
}

/** How long ago, and how often since when: `5m`, `5m (x3 over 1h)`. */
export function seenText(event: SeenEvent, now: number): string {
  const count = event.series?.count ?? event.count ?? 1;
  const last = formatAge(now - lastSeen(event));
  if (count <= 1) return last;
  return `${last} (x${count} over ${formatAge(now - timeOf(event.firstTimestamp ?? event.eventTime))})`;
}

/** `Site/hello` */
function aboutText({ involvedObject }: SeenEvent): string {
  return `${involvedObject?.kind ?? ""}/${involvedObject?.name ?? ""}`;
}

/** Who said so. */
export function sourceText({ source, reportingComponent }: SeenEvent): string {
  return source?.component || reportingComponent || "<unknown>";
}

export const eventTitles = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"] as const;

export function eventRow(event: SeenEvent, now: number): readonly string[] {
  const { type, reason, message = "" } = event;
  return [
    seenText(event, now),
    cellText(type),
    cellText(reason),
    aboutText(event),
    cellText(message.trim().replaceAll(/\s*\n\s*/g, " ")),
  ];
}

function timeOf(time: string | null | undefined): number {
  try {
    return time ? parseTime(time) : Number.NaN;
  } catch {
    return Number.NaN;
  }
}
