/** The client disconnected before the response was complete. No response can be sent. */
export class AbortedError extends Error {
  override readonly name = "AbortedError";
}
