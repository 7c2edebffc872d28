/**
 * Kinds of decoding errors:
 *
 * - `syntax`: the body is malformed for its media type.
 * - `value`: the body is well-formed, but has a value that no object can have.
 * - `limit`: the body exceeds one of the {@link DecodeLimits}.
 */
export type DecodeProblem = "syntax" | "value" | "limit";

/**
 * Error while decoding a body. Callers outside of this folder get an ApiError that contains its message, in the form that
 * Kubernetes uses for the type of request.
 */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  readonly problem: DecodeProblem;

  constructor(problem: DecodeProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Position in a string as `line 2, column 7`, counted from 1. */
export function placeOf(text: string, position: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < position; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return `line ${line}, column ${position - start + 1}`;
}

/** Error for an integer that a 64-bit float would round. */
export function inexactNumber(digits: string, place: string): DecodeError {
  return new DecodeError(
    "value",
    `the number ${shortened(digits)} (${place}) cannot be represented exactly: the largest integer is 9007199254740991; send it as a string if the field accepts strings`,
  );
}

/** Error for a number outside the range of a 64-bit float. */
export function numberOutOfRange(digits: string, place: string): DecodeError {
  return new DecodeError("value", `the number ${shortened(digits)} (${place}) is out of range`);
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
