import type { ApiError } from "../errors/api-error.js";
import { applyConflict } from "../errors/failures.js";
import { quote } from "../object/quote.js";
import { type FieldOwner, ownerId } from "./field-owner.js";
import { renderPath } from "./fields/path-element.js";
import type { FieldConflict } from "./ownership.js";

/** Creates the 409 for conflicts: one message, and one cause per field. */
export function conflictError(conflicts: readonly FieldConflict[]): ApiError {
  const causes = conflicts.map(({ owner, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${renderOwner(owner)}`,
    field: renderPath(path),
  }));
  return applyConflict(causes, conflictMessage(conflicts));
}

function conflictMessage(conflicts: readonly FieldConflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${renderOwner(first.owner)}: ${renderPath(first.path)}`;
  }
  const lines = new Map<string, string[]>();
  for (const { owner, path } of conflicts) {
    const id = ownerId(owner);
    let fields = lines.get(id);
    if (fields === undefined) lines.set(id, (fields = [`conflicts with ${renderOwner(owner)}:`]));
    fields.push(`- ${renderPath(path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${[...lines.values()].flat().join("\n")}`;
}

/** Renders an owner: `"kubectl" with subresource "status" using v1`; the version only for updates. */
function renderOwner({ manager, operation, apiVersion, subresource }: FieldOwner): string {
  const below = subresource === "" ? "" : ` with subresource ${quote(subresource)}`;
  return `${quote(manager)}${below}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}
