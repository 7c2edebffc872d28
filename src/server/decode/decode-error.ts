/**
 * Why a body cannot be read:
 *
 * - `syntax`: it is not what its media type says.
 * - `value`: it is, but holds something that no object can.
 * - `limit`: it asks too much.
 */
export type DecodeProblem = "syntax" | "value" | "limit";

/**
 * A body that cannot be read. Never leaves this folder: what it says becomes part of an ApiError, in the words that
 * Kubernetes puts around it for the kind of request at hand.
 */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  readonly problem: DecodeProblem;

  constructor(problem: DecodeProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** `line 2, column 7` of a position in a text. Counts from 1. */
export function placeOf(text: string, position: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < position; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return `line ${line}, column ${position - start + 1}`;
}

/** A number that would not be the same after it has been read. */
export function inexactNumber(digits: string, place: string): DecodeError {
  return new DecodeError(
    "value",
    `the number ${shortened(digits)} (${place}) cannot be kept exactly: integers may go up to 9007199254740991; send it as a string where the field takes one`,
  );
}

/** A number beyond what a 64-bit float reaches. */
export function numberOutOfRange(digits: string, place: string): DecodeError {
  return new DecodeError("value", `the number ${shortened(digits)} (${place}) is out of range`);
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
