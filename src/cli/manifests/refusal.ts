import { asApiError, isConflict } from "../../model/core.js";

/** What somebody has against a manifest: about one of its fields, if they say which. */
export interface Objection {
  readonly field?: string | undefined;
  readonly message: string;
}

/** Why the server did not take a manifest, with the way out where there is one. */
export function objections(error: unknown): readonly Objection[] {
  const api = asApiError(error);
  const causes = api?.status.details?.causes ?? [];
  const conflicts = causes.filter(({ reason }) => reason === "FieldManagerConflict");
  if (isConflict(error) && conflicts.length > 0) {
    const fields = conflicts.map(({ field = "", message = "" }) => {
      const manager = /"([^"]*)"/.exec(message)?.[1] ?? "another manager";
      return `${field} (${manager})`;
    });
    const message = `fields are owned by other field managers: ${fields.join(", ")}; remove them from the manifest, or take ownership with --force`;
    return [{ field: conflicts[0]?.field, message }];
  }
  const text = error instanceof Error ? error.message : String(error);
  return objectionsIn(text, causes);
}

/** The same of a refusal that somebody else was told of: its words, and its causes if it came with any. */
export function objectionsIn(
  text: string,
  causes: readonly { readonly field?: string | undefined; readonly message?: string | undefined }[] = [],
): readonly Objection[] {
  const placed = causes.filter(({ field }) => field !== undefined && field !== "");
  if (placed.length > 0)
    return placed.map(({ field, message }) => ({
      field,
      message: `${field}: ${message ?? "invalid"}`,
    }));
  const unknown = [...text.matchAll(/unknown field "([^"]+)"/g)].map(([, field = ""]) => noField(field));
  if (unknown.length > 0) return unknown;
  const typed = /^failed to create typed patch object \([^)]*\): (.*)$/s.exec(text)?.[1];
  const misfits = [...(typed ?? "").matchAll(/^\s*\.(\S+): (.*)$/gm)].map(([, field = "", said = ""]) =>
    said === "field not declared in schema"
      ? noField(field)
      : { field, message: `${field}: ${said.replace(/&value\.valueUnstructured\{Value:(.*)\}/, "$1")}` },
  );
  return misfits.length > 0 ? misfits : [{ message: text }];
}

function noField(field: string): Objection {
  return { field, message: `${field}: unknown field` };
}
