import { opcodes, assertions, type Program } from "./program.js";

/** Range of code points. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Result of a search. */
interface SearchResult {
  readonly found: TextRange | undefined;
  /** Number of visited positions. */
  readonly visits: number;
  /** True if the search was stopped because it took too long. */
  readonly gaveUp: boolean;
}

/** Finds the first match at or after a position, and of those the preferred one. */
export type Searcher = (codes: readonly number[], from: number) => SearchResult;

/** Same limit as in the matcher. */
const maxVisits = 10_000_000;

/** Threads at one position of the input, preferred ones first, each with its start. */
interface Threads {
  readonly positions: number[];
  readonly starts: number[];
}

/**
 * Creates a searcher that simulates all alternatives in parallel like the matcher, but keeps their order: it
 * finds the match that a backtracking engine would find first.
 */
export function createSearcher(program: Program): Searcher {
  const { ops, first, second, tests, start, anchored } = program;
  /** Stamps of visited positions; allocated on first use, because most patterns are never searched with. */
  let seen: Uint32Array | undefined;
  let stamp = 0;

  return (codes, from) => {
    if (!seen || stamp + codes.length > 0xffff_0000) {
      seen = new Uint32Array(ops.length);
      stamp = 0;
    }
    const stamps = seen;
    let visits = 0;

    /** Adds positions that consume a character; false if the thread matched, which ends less preferred ones. */
    const follow = (begin: number, origin: number, at: number, threads: Threads): boolean => {
      const stack = [begin];
      for (let position = stack.pop(); position !== undefined; position = stack.pop()) {
        if (stamps[position] === stamp) continue;
        stamps[position] = stamp;
        visits++;
        const to = first[position] ?? 0;
        const other = second[position] ?? 0;
        switch (ops[position]) {
          case opcodes.match:
            return false;
          case opcodes.character:
            threads.positions.push(position);
            threads.starts.push(origin);
            break;
          case opcodes.assertion:
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
    /** Threads after the last character. */
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
