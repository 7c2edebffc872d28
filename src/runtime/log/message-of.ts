/** Message of a thrown value. Never throws, even if the message is no string or its getter throws. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "the thrown value has no readable message";
  }
}
