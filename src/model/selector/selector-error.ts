/** Malformed selector. The message is Kubernetes' own. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
}
