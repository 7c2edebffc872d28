/** Whether a character, given as its code point, is one of those meant. */
export type CharacterTest = (code: number) => boolean;

/** A place in the text, between two characters. */
export type Assertion = "text start" | "text end" | "line start" | "line end" | "word edge" | "no word edge";

/** A regular expression as a tree. What a group matched is never asked for, so groups leave no trace. */
export type PatternNode =
  | { readonly type: "character"; readonly test: CharacterTest }
  | { readonly type: "assertion"; readonly assertion: Assertion }
  | { readonly type: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly type: "choice"; readonly parts: readonly PatternNode[] }
  | RepeatNode;

/** A node that stands `min` to `max` times; `max` may be Infinity. */
export interface RepeatNode {
  readonly type: "repeat";
  readonly part: PatternNode;
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
