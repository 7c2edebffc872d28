import { createMatcher, type Matcher } from "./matcher.js";
import { parsePattern } from "./parse-pattern.js";
import { PatternError } from "./pattern-node.js";
import { compileProgram } from "./program.js";
import { createSearcher, type Searcher } from "./searcher.js";

/** Longest source of a pattern. Parsing takes microseconds per character, and patterns may come from objects by way of rules. */
const maxLength = 10_000;

/** Compiled pattern, or the error that prevents compiling it. */
export type Pattern =
  | {
      readonly matches: Matcher;
      readonly search: Searcher;
      /** Number of instructions; the time to match grows with it. */
      readonly size: number;
      readonly fault?: undefined;
    }
  | {
      readonly fault: string;
      readonly matches?: undefined;
      readonly search?: undefined;
      readonly size?: undefined;
    };

/** Limit for cached patterns; the oldest is evicted. Schemas share patterns of names, times and reasons. */
const maxCachedPatterns = 500;
const patterns = new Map<string, Pattern>();

/**
 * Compiles an RE2 pattern. Matching takes linear time for any pattern; patterns come from users, and
 * JavaScript's own regular expressions can take exponential time.
 */
export function compilePattern(source: string): Pattern {
  let pattern = patterns.get(source);
  // Faults about long patterns are cheap, and caching them would keep the patterns.
  if (!pattern && source.length > maxLength) return compile(source);
  if (!pattern) {
    pattern = compile(source);
    for (const [oldest] of patterns) {
      if (patterns.size < maxCachedPatterns) break;
      patterns.delete(oldest);
    }
    patterns.set(source, pattern);
  }
  return pattern;
}

/**
 * Explains why a pattern is invalid, with Go's message; undefined if it is valid.
 *
 * @example
 * checkPattern("[a"); // "error parsing regexp: missing closing ]: `[a`"
 */
export function checkPattern(source: string): string | undefined {
  return compilePattern(source).fault;
}

function compile(source: string): Pattern {
  if (source.length > maxLength) {
    const { message } = new PatternError("expression too large", `${source.slice(0, 50)}…`);
    return { fault: `${message} has ${source.length} characters, and ${maxLength} are allowed` };
  }
  try {
    const program = compileProgram(parsePattern(source), source);
    return { matches: createMatcher(program), search: createSearcher(program), size: program.ops.length };
  } catch (error) {
    if (error instanceof PatternError) return { fault: error.message };
    throw error;
  }
}
