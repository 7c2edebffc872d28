/**
 * Patterns in a CRD are read by Go's RE2 on Kubernetes and by JavaScript here, so only what both read alike
 * may be used. RE2 matches in linear time and for that leaves out looking around and references back.
 */

/** Escapes by letter or digit that mean the same in both. */
const sharedEscapes = new Set("dDwWsSbBfnrtv");

/** Longest repetition RE2 compiles. */
const maxRepetition = 1000;

const repetition = /^\{(\d+)(?:,(\d*))?\}/;
const hexEscape = /^x[0-9a-fA-F]{2}/;
/** Scripts are spelled differently; the general categories, such as `\p{Lu}`, alike. */
const category = /^[pP]\{[A-Z][a-z]?\}/;

/** Says what keeps a regular expression from being used in a schema; undefined when nothing does. */
export function patternProblem({ source, flags }: RegExp): string | undefined {
  for (const flag of flags) {
    // d and g change what is handed back, and u how the source is written: not what is matched.
    if (!"dgu".includes(flag)) return `the flag "${flag}" of a regular expression cannot be kept in a schema`;
  }
  return sourceProblem(source);
}

function sourceProblem(source: string): string | undefined {
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const rest = source.slice(at, at + 48);
    const char = source.charAt(at);
    if (char === "\\") {
      const problem = escapeProblem(rest.slice(1));
      if (problem) return problem;
      at++;
    } else if (inClass) {
      // RE2 takes [[:alpha:]] for a POSIX class, JavaScript for plain characters.
      if (rest.startsWith("[:")) return '"[:" in a character class means something else to Kubernetes';
      if (char === "]") inClass = false;
    } else if (char === "[") {
      if (rest.startsWith("[]") || rest.startsWith("[^]"))
        return "an empty character class is unknown to Kubernetes";
      inClass = true;
    } else if (rest.startsWith("(?") && !rest.startsWith("(?:")) {
      return `"${rest.slice(0, rest.startsWith("(?<") ? 4 : 3)}" (looking around and named groups) is unknown to Kubernetes`;
    } else if (char === "{") {
      const [, from = "0", to] = repetition.exec(rest) ?? [];
      if (Math.max(Number(from), Number(to ?? 0)) > maxRepetition) {
        return `a repetition of more than ${maxRepetition} is unknown to Kubernetes`;
      }
    }
  }
  return undefined;
}

function escapeProblem(escaped: string): string | undefined {
  const char = escaped.charAt(0);
  if (sharedEscapes.has(char) || hexEscape.test(escaped) || category.test(escaped)) return undefined;
  if (/[1-9k]/.test(char)) return `"\\${char}" (a reference back) is unknown to Kubernetes`;
  if (/[A-Za-z0-9]/.test(char)) return `"\\${char}" is unknown to Kubernetes`;
  return undefined;
}
