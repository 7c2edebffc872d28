import { EventLogExpired, type EventLog, type LogPosition } from "../../../events/log/event-log.js";
import type { CloudEvent } from "../../../model/cloud-events/cloud-event.js";
import { PatternIndex } from "../../../model/cloud-events/pattern-index.js";

/** Positions that are read at first, for each event that is wanted. */
const positionsPerEvent = 4;
/** Each attempt reads further back by this factor, until history ends; then the end is searched. */
const growth = 8;
const maxAttempts = 16;

export interface LastEvents {
  /** Oldest first. */
  readonly events: readonly CloudEvent[];
  /** Position after them. */
  readonly position: LogPosition;
}

/** The newest events of the log that match a pattern: at most `limit`, and those that history still has. */
export async function lastEvents(
  log: EventLog,
  {
    pattern,
    limit,
    signal,
  }: { readonly pattern: string; readonly limit: number; readonly signal: AbortSignal },
): Promise<LastEvents> {
  const position = await log.position();
  const newest = Number(position);
  let events: readonly CloudEvent[] = [];
  /** Everything up to here has expired. */
  let expired = -1;
  let oldest = newest;
  let from = Math.max(0, newest - limit * positionsPerEvent);
  for (let attempt = 0; attempt < maxAttempts && from < oldest; attempt++) {
    try {
      events = await eventsBetween(log, { from: String(from), to: position, pattern, signal });
      if (events.length >= limit) break;
      oldest = from;
    } catch (error) {
      if (!(error instanceof EventLogExpired)) throw error;
      expired = from;
    }
    from = expired < 0 ? Math.max(0, newest - (newest - oldest) * growth) : Math.ceil((expired + oldest) / 2);
  }
  return { events: limit === 0 ? [] : events.slice(-limit), position };
}

async function eventsBetween(
  log: EventLog,
  {
    from,
    to,
    pattern,
    signal,
  }: {
    readonly from: LogPosition;
    readonly to: LogPosition;
    readonly pattern: string;
    readonly signal: AbortSignal;
  },
): Promise<readonly CloudEvent[]> {
  const found: CloudEvent[] = [];
  if (log.distance(from, to) === 0) return found;
  const patterns = new PatternIndex<string>();
  patterns.add(pattern, pattern);
  for await (const { events, position } of log.follow({ from, patterns, signal })) {
    for (const event of events) if (log.distance(to, event.revision ?? to) === 0) found.push(event);
    if (log.distance(position, to) === 0) break;
  }
  return found;
}
