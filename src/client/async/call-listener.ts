/**
 * Calls a listener. An error it throws does not fail the operation it listens to; it becomes a Node warning.
 *
 * @example
 * callListener("onWarning", () => onWarning(text));
 */
export function callListener(name: string, listener: () => void): void {
  try {
    listener();
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    process.emitWarning(`${name} failed: ${text}`, "ListenerWarning");
  }
}
