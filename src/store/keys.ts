import { InvalidCommit } from "./errors.js";
import type { Mutation } from "./store.js";

/** Longest key, in UTF-8 bytes. */
export const maxKeyBytes = 2048;

/** Most mutations in one commit. */
export const maxMutations = 1024;

const unwell = /\p{Surrogate}|\0/u;
const beyondBasic = /[\ud800-\uffff]/;

/** What is wrong with a key, or undefined. */
function problemOf(key: string): string | undefined {
  if (key === "") return "a key must not be empty";
  // Only a key of many characters can be too long in bytes, and only then is counting worth it.
  if (key.length * 3 > maxKeyBytes && new TextEncoder().encode(key).length > maxKeyBytes) {
    return `a key must not be longer than ${maxKeyBytes} bytes`;
  }
  if (unwell.test(key)) return "a key must be well-formed text without NUL";
  return undefined;
}

/**
 * Refuses mutations that no store takes.
 *
 * @throws {InvalidCommit}
 */
export function checkMutations(mutations: readonly Mutation[]): void {
  if (mutations.length === 0) throw new InvalidCommit("a commit needs at least one mutation");
  if (mutations.length > maxMutations) {
    throw new InvalidCommit(
      `a commit takes at most ${maxMutations} mutations, got ${mutations.length}; split it up`,
    );
  }
  for (const mutation of mutations) {
    const problem = problemOf(mutation.key);
    if (problem !== undefined) throw new InvalidCommit(`${JSON.stringify(mutation.key)}: ${problem}`);
    checkNumber(mutation, "expect", 0);
    if (mutation.type === "put") checkNumber(mutation, "ttl", 1);
  }
  if (mutations.length > 1) {
    const keys = new Set<string>();
    for (const { key } of mutations) {
      if (keys.has(key)) throw new InvalidCommit(`${key} stands twice in one commit`);
      keys.add(key);
    }
  }
}

function checkNumber<Name extends string>(
  mutation: { key: string } & { [name in Name]?: number | undefined },
  name: Name,
  least: number,
): void {
  const value = mutation[name];
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw new InvalidCommit(
    `${mutation.key}: ${name} must be a whole number of at least ${least}, got ${value}`,
  );
}

/** Whether a key has characters beyond U+D7FF. Among keys that have none, the order is that of JavaScript. */
export function reachesBeyond(key: string): boolean {
  return beyondBasic.test(key);
}

/**
 * Orders keys as their UTF-8 bytes order. JavaScript compares UTF-16 units instead, which differs only where
 * both keys reach beyond U+D7FF.
 */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  if (!reachesBeyond(a) || !reachesBeyond(b)) return a < b ? -1 : 1;
  const left = Array.from(a);
  const right = Array.from(b);
  const different = left.findIndex((character, at) => character !== right[at]);
  if (different < 0) return -1;
  return (left[different]?.codePointAt(0) ?? -1) - (right[different]?.codePointAt(0) ?? -1);
}

/** The least key behind all keys that start with `prefix`; undefined when there is none. */
export function prefixEnd(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    if (code === 0x10ffff) continue;
    return characters.join("") + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
  }
  return undefined;
}
