import { operations, assertions, type Program } from "./program.js";

/** A part of a text, counted in code points. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** What came of a search. */
interface SearchResult {
  readonly found: TextRange | undefined;
  /** How many positions were visited. */
  readonly visits: number;
  /** Whether finding out would have taken too long. */
  readonly gaveUp: boolean;
}

/** Searches for the first match at or behind a place, of those for the preferred one. */
export type Searcher = (codes: readonly number[], from: number) => SearchResult;

/** Like those of a matcher. */
const maxVisits = 10_000_000;

/** Ways through a program at one place of the text, the preferred ones first, each with where it began. */
interface Threads {
  readonly positions: number[];
  readonly starts: number[];
}

/**
 * Runs a program side by side along all its ways, as a matcher does, but keeps their order: Go finds what a
 * backtracking engine would find first.
 */
export function createSearcher(program: Program): Searcher {
  const { ops, first, second, tests, start, anchored } = program;
  /** Stamps of which positions have been seen; made when first needed, since most patterns are never searched with. */
  let seen: Uint32Array | undefined;
  let stamp = 0;

  return (codes, from) => {
    if (!seen || stamp + codes.length > 0xffff_0000) {
      seen = new Uint32Array(ops.length);
      stamp = 0;
    }
    const stamps = seen;
    let visits = 0;

    /** Adds what waits for a character; false when the way came to its end, and nothing less preferred counts. */
    const follow = (begin: number, origin: number, at: number, threads: Threads): boolean => {
      const stack = [begin];
      for (let position = stack.pop(); position !== undefined; position = stack.pop()) {
        if (stamps[position] === stamp) continue;
        stamps[position] = stamp;
        visits++;
        const to = first[position] ?? 0;
        const other = second[position] ?? 0;
        switch (ops[position]) {
          case operations.match:
            return false;
          case operations.character:
            threads.positions.push(position);
            threads.starts.push(origin);
            break;
          case operations.assertion:
            if (isAt(other, codes, at)) stack.push(to);
            break;
          default:
            stack.push(other, to);
        }
      }
      return true;
    };

    let found: TextRange | undefined;
    let current: Threads = { positions: [], starts: [] };
    /** Where the ways that are under way go on to; each with where it began. */
    let arriving: Threads = { positions: [], starts: [] };
    for (let at = from; at <= codes.length; at++) {
      stamp++;
      current = { positions: [], starts: [] };
      let open = true;
      for (const [index, position] of arriving.positions.entries()) {
        const origin = arriving.starts[index] ?? 0;
        if (follow(position, origin, at, current)) continue;
        found = { start: origin, end: at };
        open = false;
        break;
      }
      if (open && !found && (!anchored || at === 0) && !follow(start, at, at, current)) {
        found = { start: at, end: at };
      }
      if (current.positions.length === 0 && (found || anchored)) break;
      if (visits > maxVisits) return { found: undefined, visits, gaveUp: true };
      const code = codes[at];
      if (code === undefined) break;
      arriving = { positions: [], starts: [] };
      for (const [index, position] of current.positions.entries()) {
        if (!tests[second[position] ?? 0]?.(code)) continue;
        arriving.positions.push(first[position] ?? 0);
        arriving.starts.push(current.starts[index] ?? 0);
      }
    }
    return { found, visits, gaveUp: false };
  };
}

const newline = 0x0a;

function isAt(assertion: number, codes: readonly number[], at: number): boolean {
  const [before, after] = [codes[at - 1], codes[at]];
  switch (assertions[assertion]) {
    case "text start":
      return at === 0;
    case "text end":
      return after === undefined;
    case "line start":
      return before === undefined || before === newline;
    case "line end":
      return after === undefined || after === newline;
    case "word edge":
      return isWord(before) !== isWord(after);
    default:
      return isWord(before) === isWord(after);
  }
}

function isWord(code: number | undefined): boolean {
  return code !== undefined && /^\w$/.test(String.fromCodePoint(code));
}
