/** Message of a thrown value. Never throws, even if the message is no string or its getter throws. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "what was thrown has no message that can be read";
  }
}
