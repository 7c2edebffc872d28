/**
 * Reason why a patch was rejected:
 *
 * - `malformed`: the patch itself is not valid, whatever the document.
 * - `path`: a location the patch names does not exist in the document, or cannot be written.
 * - `test`: a `test` operation found another value than it expects.
 * - `limit`: too many operations, too much copied, or nested too deeply.
 */
export type PatchErrorKind = "malformed" | "path" | "test" | "limit";

/** Rejected patch. The document is unchanged. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly kind: PatchErrorKind;
  /** Position of the operation in a JSON patch; undefined if the patch as a whole is invalid. */
  readonly operation: number | undefined;

  constructor(kind: PatchErrorKind, message: string, operation?: number) {
    super(message);
    this.kind = kind;
    this.operation = operation;
  }
}
