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
    if (Array.isArray(next)) {
      for (let index = 0; index < next.length; index++) add(next[index], pending);
    } else {
      for (const key in next) add((next as Record<string, unknown>)[key], pending);
    }
  }
  return value;
}

function add(part: unknown, pending: object[]): void {
  if (isFreezable(part)) pending.push(part);
}

function isFreezable(value: unknown): value is object {
  // The bytes of a buffer cannot be frozen; JavaScript throws when asked to.
  return typeof value === "object" && value !== null && !Object.isFrozen(value) && !ArrayBuffer.isView(value);
}
