/**
 * Patterns in a CRD are compiled by Go's RE2 in Kubernetes and by JavaScript here, so only syntax with the
 * same meaning in both is allowed. RE2 matches in linear time and therefore lacks lookaround and
 * back-references.
 */

/** Escapes with the same meaning in both. */
const sharedEscapes = new Set("dDwWsSbBfnrtv");

/** RE2's limit for repetitions. */
const maxRepetition = 1000;

const repetition = /^\{(\d+)(?:,(\d*))?\}/;
const hexEscape = /^x[0-9a-fA-F]{2}/;
/** Script names differ; general categories, such as `\p{Lu}`, are the same. */
const category = /^[pP]\{[A-Z][a-z]?\}/;

/** Explains why a regular expression cannot be used in a schema; undefined if it can. */
export function patternProblem({ source, flags }: RegExp): string | undefined {
  for (const flag of flags) {
    // d and g change the result, and u the syntax, but not what matches.
    if (!"dgu".includes(flag)) return `the regular expression flag "${flag}" is not supported in a schema`;
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
      // RE2 reads [[:alpha:]] as a POSIX class, JavaScript as plain characters.
      if (rest.startsWith("[:")) return '"[:" in a character class has another meaning in Kubernetes (RE2)';
      if (char === "]") inClass = false;
    } else if (char === "[") {
      if (rest.startsWith("[]") || rest.startsWith("[^]"))
        return "an empty character class is not supported by Kubernetes";
      inClass = true;
    } else if (rest.startsWith("(?") && !rest.startsWith("(?:")) {
      return `"${rest.slice(0, rest.startsWith("(?<") ? 4 : 3)}" (lookaround or named group) is not supported by Kubernetes`;
    } else if (char === "{") {
      const [, from = "0", to] = repetition.exec(rest) ?? [];
      if (Math.max(Number(from), Number(to ?? 0)) > maxRepetition) {
        return `a repetition of more than ${maxRepetition} is not supported by Kubernetes`;
      }
    }
  }
  return undefined;
}

function escapeProblem(escaped: string): string | undefined {
  const char = escaped.charAt(0);
  if (sharedEscapes.has(char) || hexEscape.test(escaped) || category.test(escaped)) return undefined;
  if (/[1-9k]/.test(char)) return `"\\${char}" (back-reference) is not supported by Kubernetes`;
  if (/[A-Za-z0-9]/.test(char)) return `"\\${char}" is not supported by Kubernetes`;
  return undefined;
}
