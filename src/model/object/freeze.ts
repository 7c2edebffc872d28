/**
 * Freezes a JSON-like value and all it holds, in place, and hands it back. What is frozen already is taken to
 * be frozen all the way down, so freezing again, or freezing a small change to a large object, costs little.
 */
export function deepFreeze<T>(value: T): T {
  if (!isFreezable(value)) return value;
  // A list of its own instead of recursion: depth is the sender's choice, the call stack is not.
  const pending: object[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    // Frozen before its parts are looked at, so that a cycle ends here.
    Object.freeze(next);
    for (const part of Object.values(next) as unknown[]) {
      if (isFreezable(part)) pending.push(part);
    }
  }
  return value;
}

function isFreezable(value: unknown): value is object {
  // The bytes of a buffer cannot be frozen; JavaScript throws when asked to.
  return typeof value === "object" && value !== null && !Object.isFrozen(value) && !ArrayBuffer.isView(value);
}
