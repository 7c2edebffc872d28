/**
 * Why a patch was refused:
 *
 * - `malformed`: the patch itself is not valid, whatever the document.
 * - `path`: a location the patch names does not exist in the document, or cannot be written.
 * - `test`: a `test` operation found another value than it expects.
 * - `limit`: too many operations, too much copied, or nested too deeply.
 */
export type PatchErrorKind = "malformed" | "path" | "test" | "limit";

/** A patch that was refused. The document it was meant for is as it was before. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly kind: PatchErrorKind;
  /** Position of the operation in a JSON patch; undefined when the patch as a whole is at fault. */
  readonly operation: number | undefined;

  constructor(kind: PatchErrorKind, message: string, operation?: number) {
    super(message);
    this.kind = kind;
    this.operation = operation;
  }
}
