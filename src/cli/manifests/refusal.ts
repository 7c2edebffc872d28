import { contestedFields } from "../../client/apply-over-edits.js";
import { asApiError } from "../../model/core.js";

/** Problem of a rejected manifest, and the field it is about. */
export interface ManifestProblem {
  readonly field?: string | undefined;
  readonly message: string;
}

/** Problems for which the server rejected a manifest, with hints. */
export function problemsOf(error: unknown): readonly ManifestProblem[] {
  const causes = asApiError(error)?.status.details?.causes ?? [];
  const conflicts = contestedFields(error);
  if (conflicts.length > 0) {
    const fields = conflicts.map(({ field, manager }) => `${field} (${manager})`);
    const message = `fields are owned by other field managers: ${fields.join(", ")}; remove them from the manifest, or take ownership with --force`;
    return [{ field: conflicts[0]?.field, message }];
  }
  const text = error instanceof Error ? error.message : String(error);
  return problemsIn(text, causes);
}

/** Problems in the message and causes of a rejection. */
export function problemsIn(
  text: string,
  causes: readonly { readonly field?: string | undefined; readonly message?: string | undefined }[] = [],
): readonly ManifestProblem[] {
  const placed = causes.filter(({ field }) => field !== undefined && field !== "");
  if (placed.length > 0)
    return placed.map(({ field, message }) => ({
      field,
      message: `${field}: ${message ?? "invalid"}`,
    }));
  const unknown = [...text.matchAll(/unknown field "([^"]+)"/g)].map(([, field = ""]) => noField(field));
  if (unknown.length > 0) return unknown;
  const typed = /^failed to create typed patch object \([^)]*\): (.*)$/s.exec(text)?.[1];
  const misfits = [...(typed ?? "").matchAll(/^\s*\.(\S+): (.*)$/gm)].map(([, field = "", problem = ""]) =>
    problem === "field not declared in schema"
      ? noField(field)
      : { field, message: `${field}: ${problem.replace(/&value\.valueUnstructured\{Value:(.*)\}/, "$1")}` },
  );
  return misfits.length > 0 ? misfits : [{ message: text }];
}

function noField(field: string): ManifestProblem {
  return { field, message: `${field}: unknown field` };
}
