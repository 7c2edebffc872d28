/**
 * Tells a listener of something. Should it throw, that is no failure of what it is told of: Node's warnings tell of it.
 *
 * @example
 * tell("onWarning", () => onWarning(text));
 */
export function tell(name: string, listener: () => void): void {
  try {
    listener();
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    process.emitWarning(`${name} failed: ${text}`, "ListenerWarning");
  }
}
