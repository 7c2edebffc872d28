/**
 * Freezes a JSON value deeply, in place, and returns it. A frozen part is assumed to be frozen deeply, so
 * freezing again, or freezing a large object with a small change, is cheap.
 */
export function deepFreeze<T>(value: T): T {
  if (!isFreezable(value)) return value;
  // An explicit stack, because the nesting of a request must not overflow the call stack.
  const pending: object[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    // Frozen before its parts, so that cycles end.
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
  // Freezing a typed array throws.
  return typeof value === "object" && value !== null && !Object.isFrozen(value) && !ArrayBuffer.isView(value);
}
