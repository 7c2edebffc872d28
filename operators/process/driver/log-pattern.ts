import { compilePattern } from "fettle/model";

/** Compiled pattern of a log probe, or the reason why it cannot be compiled. */
export type LogPattern =
  | { readonly matches: (line: string) => boolean; readonly fault?: undefined }
  | { readonly matches?: undefined; readonly fault: string };

/** Compiles a pattern in RE2's syntax. Matching takes linear time: lines are written by programs that are not ours. */
export function logPattern(source: string): LogPattern {
  const { matches, fault } = compilePattern(source);
  if (matches === undefined) return { fault: `the pattern ${source} is invalid: ${fault}` };
  return { matches: (line) => matches(line) === true };
}
