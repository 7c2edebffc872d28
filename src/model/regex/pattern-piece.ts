/** Whether a character, given as its code point, is one of those meant. */
export type CharacterTest = (code: number) => boolean;

/** A place in the text, between two characters. */
export type Place = "text start" | "text end" | "line start" | "line end" | "word edge" | "no word edge";

/** A regular expression as a tree. What a group matched is never asked for, so groups leave no trace. */
export type Piece =
  | { readonly type: "character"; readonly test: CharacterTest }
  | { readonly type: "place"; readonly place: Place }
  | { readonly type: "sequence"; readonly parts: readonly Piece[] }
  | { readonly type: "choice"; readonly parts: readonly Piece[] }
  | Repeat;

/** A piece that stands `min` to `max` times; `max` may be Infinity. */
export interface Repeat {
  readonly type: "repeat";
  readonly part: Piece;
  readonly min: number;
  readonly max: number;
  /** Whether fewer times are tried first; that matters only for what is found, not for whether something is. */
  readonly lazy: boolean;
}

/** A pattern is not a regular expression of RE2; the message is what Go says of it. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  constructor(fault: string, part: string) {
    super(`error parsing regexp: ${fault}: \`${part}\``);
  }
}
