import { createMatcher, type Matcher } from "./matcher.js";
import { parsePattern } from "./parse-pattern.js";
import { PatternError } from "./pattern-node.js";
import { compileProgram } from "./program.js";
import { createSearcher, type Searcher } from "./searcher.js";

/** A pattern that is ready to use, or what is wrong with it. */
export type Pattern =
  | {
      readonly matches: Matcher;
      readonly search: Searcher;
      /** How many instructions it has: what matching takes grows with it. */
      readonly size: number;
      readonly fault?: undefined;
    }
  | {
      readonly fault: string;
      readonly matches?: undefined;
      readonly search?: undefined;
      readonly size?: undefined;
    };

/** Schemas share patterns (names, times, reasons); the oldest goes when there are more than this. */
const maxCachedPatterns = 500;
const patterns = new Map<string, Pattern>();

/**
 * Makes a pattern of RE2 ready to use. Matching takes a time that grows with the text, whatever the pattern:
 * it comes from users, and JavaScript's own regular expressions can be made to run forever.
 */
export function compilePattern(source: string): Pattern {
  let pattern = patterns.get(source);
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
 * What keeps a pattern from being used, in Go's words; undefined when nothing does.
 *
 * @example
 * checkPattern("[a"); // "error parsing regexp: missing closing ]: `[a`"
 */
export function checkPattern(source: string): string | undefined {
  return compilePattern(source).fault;
}

function compile(source: string): Pattern {
  try {
    const program = compileProgram(parsePattern(source), source);
    return { matches: createMatcher(program), search: createSearcher(program), size: program.ops.length };
  } catch (error) {
    if (error instanceof PatternError) return { fault: error.message };
    throw error;
  }
}
