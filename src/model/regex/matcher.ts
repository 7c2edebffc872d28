import { operations, assertions, type Program } from "./program.js";

/** Whether a text matches; undefined when finding out would take too long. */
export type Matcher = (text: string) => boolean | undefined;

/** What stands before a place in the text, as far as a program asks. */
const nothing = 0;
const endOfLine = 1;
const word = 2;
const other = 3;

/** Where a program can be at once, after some text. */
interface State {
  readonly positions: readonly number[];
  readonly before: number;
  /** The state after a character, for those characters that have come so far; undefined when that is not kept. */
  readonly next: Map<number, State> | undefined;
  matchesAtEnd: boolean | undefined;
}

const accepting: State = { positions: [], before: nothing, next: undefined, matchesAtEnd: true };
const dead: State = { positions: [], before: nothing, next: undefined, matchesAtEnd: false };

const endOfText = -1;
const newline = 0x0a;

/**
 * How much is kept of what a program went through, counted in positions and steps. A text that leads to more makes
 * it all be forgotten, and the rest of that text is gone through without keeping anything.
 */
const maxCachedSteps = 16_384;

/**
 * Positions visited for one text. The time to match grows with the length of text and program, never
 * exponentially; but the product of a long text and a big program can be more than anyone should wait for.
 */
const maxVisits = 10_000_000;

/** Stamps of which positions have been seen in a walk. No two walks are under way at once, so all share these. */
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
 * Runs a program over texts. It moves through all alternatives side by side, as Thompson described it, and keeps
 * the sets of positions it has come through.
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

  /** All positions that wait for a character; undefined when the end of the program is among them. */
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
        case operations.match:
          return undefined;
        case operations.character:
          result.push(at);
          break;
        case operations.assertion:
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
        // Half a pair is what it turns into on its way through UTF-8.
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
