/**
 * Thrown by a handler that refuses an event for good, such as one with invalid data: it becomes a dead letter with this reason,
 * without further attempts.
 *
 * @example
 * if (event.data.port > 65_535) throw new EventRejected(`there is no port ${event.data.port}`);
 */
export class EventRejected extends Error {
  override readonly name = "EventRejected";
}

/** Tests for a rejection by its name, since a plugin may have another copy of this package. */
export function isRejection(error: unknown): error is EventRejected {
  return error instanceof Error && error.name === "EventRejected";
}
