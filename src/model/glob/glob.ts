/** Compiled pattern for keys. */
export interface Glob {
  /** Prefix that all matching keys have in common. */
  readonly prefix: string;
  matches(key: string): boolean;
}

/** Part of a pattern: a star, or a test of one character. */
type Piece = "*" | ((character: string) => boolean);

/**
 * Compiles a pattern that has to match a whole key: `*` matches any text including slashes, `?` one character, `[abc]` one of
 * these, `[!a-c]` any other.
 *
 * @example
 * compileGlob("backend/*").matches("backend/eu/1"); // true
 */
export function compileGlob(pattern: string): Glob {
  const [prefix = ""] = pattern.split(/[*?[]/, 1);
  if (prefix === pattern) return { prefix, matches: (key) => key === pattern };
  if (pattern === `${prefix}*`) return { prefix, matches: (key) => key.startsWith(prefix) };
  const pieces = piecesOf(pattern);
  return { prefix, matches: (key) => key.startsWith(prefix) && isMatch(pieces, Array.from(key)) };
}

function piecesOf(pattern: string): readonly Piece[] {
  const parts = pattern.match(/\[[^\]]+\]|[\s\S]/gu) ?? [];
  return parts.map((part): Piece => {
    if (part === "*") return "*";
    if (part === "?") return () => true;
    if (part.startsWith("[") && part.endsWith("]") && part.length > 2) return oneOf(part.slice(1, -1));
    return (character) => character === part;
  });
}

function oneOf(inside: string): (character: string) => boolean {
  const isNot = inside.length > 1 && /^[!^]/.test(inside);
  const ranges = [...(isNot ? inside.slice(1) : inside).matchAll(/(.)-(.)|(.)/gsu)];
  return (character) => {
    const isIn = ranges.some(([, from, to, single]) =>
      single === undefined
        ? from !== undefined && to !== undefined && from <= character && character <= to
        : single === character,
    );
    return isIn !== isNot;
  };
}

/**
 * Matches as little as possible with a star, and backtracks to the last star only: whatever an earlier star could match in
 * addition, the last one can match as well. So the time is at most the product of both lengths.
 */
function isMatch(pieces: readonly Piece[], characters: readonly string[]): boolean {
  let piece = 0;
  let at = 0;
  let star: { readonly piece: number; taken: number } | undefined;
  while (at < characters.length) {
    const wanted = pieces[piece];
    if (wanted === "*") {
      star = { piece, taken: at };
      piece++;
    } else if (wanted?.(characters[at] ?? "") === true) {
      piece++;
      at++;
    } else if (star === undefined) {
      return false;
    } else {
      star.taken++;
      at = star.taken;
      piece = star.piece + 1;
    }
  }
  while (pieces[piece] === "*") piece++;
  return piece === pieces.length;
}
