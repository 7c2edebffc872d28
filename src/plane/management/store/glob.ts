import { compileGlob, type Glob } from "../../../model/glob/glob.js";

/**
 * Compiles a pattern for keys of the store; see {@link compileGlob}. A pattern that does not begin with a slash may begin at any
 * segment of a key.
 *
 * @example
 * globOf("sites/default/*").matches("/demo.dev/sites/default/hello"); // true
 */
export function globOf(pattern: string): Glob {
  const whole = compileGlob(pattern);
  if (pattern.startsWith("/")) return whole;
  return { prefix: "/", matches: (key) => startsOf(key).some((start) => whole.matches(key.slice(start))) };
}

/** Start positions of the segments of a key. */
function startsOf(key: string): readonly number[] {
  const starts = [0];
  for (let slash = key.indexOf("/"); slash !== -1; slash = key.indexOf("/", slash + 1))
    starts.push(slash + 1);
  return starts;
}
