/** Invalid kubeconfig, or an invalid file it refers to. The message has its position and a hint. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
}

/** Error code such as `ENOENT`, or the message. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const explanation = code === undefined ? undefined : reasons.get(code);
  return explanation ?? (error instanceof Error ? error.message : String(error));
}

export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

const reasons = new Map([
  ["ENOENT", "it does not exist"],
  ["EACCES", "permission denied"],
  ["EISDIR", "it is a directory"],
]);
