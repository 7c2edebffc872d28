import { InvalidCommit } from "./errors.js";
import type { Mutation } from "./store.js";

/** Maximum length of a key, in UTF-8 bytes. */
export const maxKeyBytes = 2048;

/** Maximum number of mutations in a commit. */
export const maxMutations = 1024;

const loneSurrogateOrNul = /\p{Surrogate}|\0/u;
const fromSurrogates = /[\ud800-\uffff]/;

/** Reason why a key is invalid; undefined when it is valid. */
function keyProblem(key: string): string | undefined {
  if (key === "") return "a key must not be empty";
  // A UTF-16 unit takes at most three bytes, so most keys need not be encoded.
  if (key.length * 3 > maxKeyBytes && new TextEncoder().encode(key).length > maxKeyBytes) {
    return `a key must not be longer than ${maxKeyBytes} bytes`;
  }
  if (loneSurrogateOrNul.test(key)) return "a key must be well-formed Unicode without NUL";
  return undefined;
}

/**
 * Checks what every store requires of a commit.
 *
 * @throws {InvalidCommit}
 */
export function checkMutations(mutations: readonly Mutation[]): void {
  if (mutations.length === 0) throw new InvalidCommit("a commit needs at least one mutation");
  if (mutations.length > maxMutations) {
    throw new InvalidCommit(
      `a commit can have at most ${maxMutations} mutations, got ${mutations.length}; split it`,
    );
  }
  for (const mutation of mutations) {
    const problem = keyProblem(mutation.key);
    if (problem !== undefined) throw new InvalidCommit(`${JSON.stringify(mutation.key)}: ${problem}`);
    checkNumber(mutation, "expect", 0);
    if (mutation.type === "put") checkNumber(mutation, "ttl", 1);
  }
  if (mutations.length > 1) {
    const keys = new Set<string>();
    for (const { key } of mutations) {
      if (keys.has(key))
        throw new InvalidCommit(`${key} occurs twice in one commit; keep one mutation per key`);
      keys.add(key);
    }
  }
}

function checkNumber<Name extends string>(
  mutation: { key: string } & { [name in Name]?: number | undefined },
  name: Name,
  minimum: number,
): void {
  const value = mutation[name];
  if (value === undefined || (Number.isSafeInteger(value) && value >= minimum)) return;
  throw new InvalidCommit(`${mutation.key}: ${name} must be an integer of at least ${minimum}, got ${value}`);
}

/** True for keys with characters above U+D7FF. Keys without any are ordered as JavaScript compares strings. */
export function needsCodePointOrder(key: string): boolean {
  return fromSurrogates.test(key);
}

/** Compares keys by their UTF-8 bytes. JavaScript compares UTF-16 units, which differs only above U+D7FF. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  if (!needsCodePointOrder(a) || !needsCodePointOrder(b)) return a < b ? -1 : 1;
  const left = Array.from(a);
  const right = Array.from(b);
  const different = left.findIndex((character, at) => character !== right[at]);
  if (different < 0) return -1;
  return (left[different]?.codePointAt(0) ?? -1) - (right[different]?.codePointAt(0) ?? -1);
}

/** Smallest key after all keys that start with `prefix`; undefined when there is none. */
export function prefixEnd(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    if (code === 0x10ffff) continue;
    return characters.join("") + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
  }
  return undefined;
}
