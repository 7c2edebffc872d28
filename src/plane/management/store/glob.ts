/** Keys that match a pattern. */
export interface Glob {
  /** What all keys that match begin with. */
  readonly prefix: string;
  matches(key: string): boolean;
}

/** One piece of a pattern: any text, or a character of which something is known. */
type Piece = "*" | ((character: string) => boolean);

/**
 * A pattern for keys: `*` is any text, slashes included, `?` one character, `[abc]` one of these, `[!a-c]` none of these. A
 * pattern that does not begin with a slash may begin at any of a key's parts.
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

/** Where the parts of a key begin. */
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
 * Takes as little as possible for a star, and more when what follows does not match: only for the last one, since whatever an
 * earlier one could take more of, the last one can as well. So no pattern takes long, whoever wrote it.
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
