/** What should be a set of fields is none. */
export class FieldSetError extends Error {
  override readonly name = "FieldSetError";
}
