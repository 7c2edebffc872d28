import { opcodes, assertions, type Program } from "./program.js";

/** Checks that a string matches; undefined if it would take too long. */
export type Matcher = (text: string) => boolean | undefined;

/** Classes of the preceding character, as far as assertions need them. */
const nothing = 0;
const endOfLine = 1;
const word = 2;
const other = 3;

/** Set of positions that a program can be in after some input. */
interface State {
  readonly positions: readonly number[];
  readonly before: number;
  /** Next states by character, for characters seen so far; undefined if they are not cached. */
  readonly next: Map<number, State> | undefined;
  matchesAtEnd: boolean | undefined;
}

const accepting: State = { positions: [], before: nothing, next: undefined, matchesAtEnd: true };
const dead: State = { positions: [], before: nothing, next: undefined, matchesAtEnd: false };

const endOfText = -1;
const newline = 0x0a;

/**
 * Limit for cached positions and steps. Input that exceeds it clears the cache, and its rest is matched
 * without caching.
 */
const maxCachedSteps = 16_384;

/**
 * Limit for visited positions per input. The time grows with the lengths of input and program, never
 * exponentially, but their product can still be too long.
 */
const maxVisits = 10_000_000;

/** Stamps of visited positions. Walks never overlap, so all matchers share them. */
let seen = new Uint32Array(256);
let walk = 0;

function beginWalk(size: number): number {
  if (size > seen.length) {
    seen = new Uint32Array(size * 2);
    walk = 0;
  }
  if (walk === 0xffff_ffff) {
    seen.fill(0);
    walk = 0;
  }
  return ++walk;
}

/**
 * Creates a matcher that simulates all alternatives in parallel (Thompson) and caches the sets of positions.
 */
export function createMatcher(program: Program): Matcher {
  const { ops, first, second, tests, start, anchored, usesLines, usesWords } = program;
  let states = new Map<string, State>();
  let cachedSteps = 0;
  let visits = 0;

  const cachedState = (positions: number[], before: number): State => {
    positions.sort((a, b) => a - b);
    const key = `${before}:${positions.join()}`;
    let state = states.get(key);
    if (!state) {
      state = { positions, before, next: new Map(), matchesAtEnd: undefined };
      states.set(key, state);
      cachedSteps += positions.length;
    }
    return state;
  };

  const classify = (code: number): number => {
    if (usesLines && code === newline) return endOfLine;
    return usesWords && isWord(code) ? word : other;
  };

  const isAt = (assertion: number, before: number, next: number): boolean => {
    switch (assertions[assertion]) {
      case "text start":
        return before === nothing;
      case "text end":
        return next === endOfText;
      case "line start":
        return before === nothing || before === endOfLine;
      case "line end":
        return next === endOfText || next === newline;
      case "word edge":
        return (before === word) !== isWord(next);
      default:
        return (before === word) === isWord(next);
    }
  };

  /**
   * Follows empty transitions to the positions that consume a character; undefined if the program can end
   * here.
   */
  const followEmpty = ({ positions, before }: State, next: number): number[] | undefined => {
    const stamp = beginWalk(ops.length);
    const stack = [...positions];
    const result: number[] = [];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (seen[at] === stamp) continue;
      seen[at] = stamp;
      visits++;
      const to = first[at] ?? 0;
      const alternative = second[at] ?? 0;
      switch (ops[at]) {
        case opcodes.match:
          return undefined;
        case opcodes.character:
          result.push(at);
          break;
        case opcodes.assertion:
          if (isAt(alternative, before, next)) stack.push(to);
          break;
        default:
          stack.push(alternative, to);
      }
    }
    return result;
  };

  const step = (state: State, code: number, keeping: boolean): State => {
    const from = followEmpty(state, code);
    if (from === undefined) return accepting;
    const stamp = beginWalk(ops.length);
    const positions: number[] = [];
    const add = (position: number): void => {
      if (seen[position] === stamp) return;
      seen[position] = stamp;
      positions.push(position);
    };
    for (const at of from) if (tests[second[at] ?? 0]?.(code)) add(first[at] ?? 0);
    if (!anchored) add(start);
    if (positions.length === 0) return dead;
    const before = classify(code);
    return keeping
      ? cachedState(positions, before)
      : { positions, before, next: undefined, matchesAtEnd: undefined };
  };

  return (text) => {
    visits = 0;
    let keeping = true;
    let state = cachedState([start], nothing);
    for (let at = 0; at < text.length; at++) {
      let code = text.charCodeAt(at);
      if (code >= 0xd800 && code <= 0xdfff) {
        code = text.codePointAt(at) ?? code;
        // A lone surrogate is encoded as the replacement character.
        if (code <= 0xffff) code = 0xfffd;
        else at++;
      }
      let next = state.next?.get(code);
      if (!next) {
        next = step(state, code, keeping);
        state.next?.set(code, next);
        if (keeping && ++cachedSteps > maxCachedSteps) {
          states = new Map();
          cachedSteps = 0;
          keeping = false;
        }
      }
      state = next;
      if (state === accepting) return true;
      if (state === dead) return false;
      if (visits > maxVisits) return undefined;
    }
    return (state.matchesAtEnd ??= followEmpty(state, endOfText) === undefined);
  };
}

function isWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f
  );
}
