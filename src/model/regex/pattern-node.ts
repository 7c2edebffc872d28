/** Checks a character, given as a code point. */
export type CharacterTest = (code: number) => boolean;

/** Zero-width assertion. */
export type Assertion = "text start" | "text end" | "line start" | "line end" | "word edge" | "no word edge";

/** Syntax tree of a regular expression. Captures are never used, so groups are not represented. */
export type PatternNode =
  | { readonly type: "character"; readonly test: CharacterTest }
  | { readonly type: "assertion"; readonly assertion: Assertion }
  | { readonly type: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly type: "choice"; readonly parts: readonly PatternNode[] }
  | RepeatNode;

/** Repetition of `min` to `max` times; `max` may be Infinity. */
export interface RepeatNode {
  readonly type: "repeat";
  readonly part: PatternNode;
  readonly min: number;
  readonly max: number;
  /** Prefer fewer repetitions; affects what a search finds, not whether it matches. */
  readonly lazy: boolean;
}

/** Invalid RE2 syntax; the message is Go's. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  constructor(fault: string, part: string) {
    super(`error parsing regexp: ${fault}: \`${part}\``);
  }
}
