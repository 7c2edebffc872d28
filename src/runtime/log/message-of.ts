/** The text of whatever was thrown. Reading it never fails, also where a message is no text or cannot be read. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "what was thrown has no message that can be read";
  }
}
