/** Compiled pattern of a log probe, or the reason why it cannot be compiled. */
export type LogPattern =
  | { readonly matches: (line: string) => boolean; readonly fault?: undefined }
  | { readonly matches?: undefined; readonly fault: string };

/**
 * Longest part of a line that is matched. JavaScript's regular expressions can take time that grows with a power of the length, and
 * lines are written by programs that are not ours.
 */
const maxLength = 2048;

/** Compiles a pattern in the part of RE2's syntax that JavaScript shares; flags such as `(?i)` only at the start. */
export function logPattern(source: string): LogPattern {
  const [prefix = "", flags = ""] = /^\(\?([ims]+)\)/.exec(source) ?? [];
  try {
    const expression = new RegExp(source.slice(prefix.length), `u${flags}`);
    return { matches: (line) => expression.test(line.slice(0, maxLength)) };
  } catch (error) {
    return { fault: `the pattern ${source} is invalid: ${String(error)}` };
  }
}
