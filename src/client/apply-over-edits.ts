import { asApiError, isConflict } from "../model/core.js";
import type { ApplyOptions, Client, Manifest } from "./client.js";
import type { UntypedObject } from "./kinds/kind.js";

/** A field of a manifest that another field manager owns with another value. */
export interface ContestedField {
  /** `.spec.title` */
  readonly field: string;
  readonly manager: string;
}

export interface AppliedOverEdits {
  readonly object: UntypedObject;
  /** Object before; undefined if it was created. */
  readonly before: UntypedObject | undefined;
  /** Fields that had been changed by hand, and have the value of the manifest again. */
  readonly reverted: readonly ContestedField[];
}

/** Field managers of tools with which people change objects by hand. */
const manualManager =
  /^(fettle-(create|edit|patch|label|annotate|rollback)|kubectl-(create|edit|patch|label|annotate|replace|set|client-side-apply))$/;

/** Number of attempts when other writes come in between. */
const maxAttempts = 5;

/**
 * Applies a manifest. Fields that somebody changed by hand since the last time (with `fettle edit` or `rollback`, `kubectl edit` and
 * so on) are set to the value of the manifest; fields of other field managers, such as controllers, are conflicts.
 *
 * @throws {ApiError} 409 with a cause for each field, see {@link contestedFields}.
 */
export async function applyOverEdits(
  client: Client,
  manifest: Manifest,
  options: ApplyOptions,
): Promise<AppliedOverEdits> {
  const { name, namespace } = manifest.metadata;
  const { force, ...writing } = options;
  if (!name) {
    return { object: await client.create(manifest, writing), before: undefined, reverted: [] };
  }
  for (let attempt = 1; ; attempt++) {
    const before = await client.find(manifest, { name, namespace }, { signal: options.signal });
    try {
      return { object: await client.apply(manifest, options), before, reverted: [] };
    } catch (error) {
      const reverted = contestedFields(error);
      const isManual = reverted.length > 0 && reverted.every(({ manager }) => manualManager.test(manager));
      if (force === true || !isManual || before === undefined) throw error;
      // With the version whose owners are known: a field that a controller takes meanwhile must not be forced.
      const { resourceVersion } = before.metadata;
      const guarded = { ...manifest, metadata: { ...manifest.metadata, resourceVersion } };
      try {
        return { object: await client.apply(guarded, { ...options, force: true }), before, reverted };
      } catch (stale) {
        if (!isConflict(stale) || attempt === maxAttempts) throw stale;
      }
    }
  }
}

/** Fields for which an apply was refused, with their owners; empty for other errors. */
export function contestedFields(error: unknown): readonly ContestedField[] {
  const causes = (isConflict(error) && asApiError(error)?.status.details?.causes) || [];
  return causes
    .filter(({ reason }) => reason === "FieldManagerConflict")
    .map(({ field = "", message = "" }) => ({
      field,
      manager: /"([^"]*)"/.exec(message)?.[1] ?? "another manager",
    }));
}
