export interface Glob {
  /** Prefix that all matching keys have in common. */
  readonly prefix: string;
  matches(key: string): boolean;
}

/** Part of a pattern: a star, or a test of one character. */
type Piece = "*" | ((character: string) => boolean);

/**
 * Compiles a pattern for keys: `*` matches any text including slashes, `?` one character, `[abc]` one of these, `[!a-c]` any
 * other. A pattern that does not begin with a slash may begin at any segment of a key.
 *
 * @example
 * globOf("sites/default/*").matches("/demo.dev/sites/default/hello"); // true
 */
export function globOf(pattern: string): Glob {
  const pieces = piecesOf(pattern);
  if (pattern.startsWith("/")) {
    const [literal = ""] = pattern.split(/[*?[]/, 1);
    return { prefix: literal, matches: (key) => isMatch(pieces, Array.from(key)) };
  }
  return {
    prefix: "/",
    matches: (key) => startsOf(key).some((start) => isMatch(pieces, Array.from(key.slice(start)))),
  };
}

/** Start positions of the segments of a key. */
function startsOf(key: string): readonly number[] {
  const starts = [0];
  for (let slash = key.indexOf("/"); slash !== -1; slash = key.indexOf("/", slash + 1))
    starts.push(slash + 1);
  return starts;
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
