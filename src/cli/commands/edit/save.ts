import type { Client } from "../../../client/client.js";
import type { UntypedObject } from "../../../client/kinds/kind.js";
import {
  applyMergePatch,
  asApiError,
  createMergePatch,
  isConflict,
  isNotFound,
  renderDiff,
  type Json,
  type JsonObject,
} from "../../../model/core.js";
import { isJsonObject } from "../../../model/object/json.js";
import type { ServedKind } from "../../server/served-kinds.js";
import { printableObject } from "../../output/objects.js";

export type SaveOutcome =
  | { readonly type: "saved" | "unchanged"; readonly object: UntypedObject }
  /** Problems, one per line. */
  | { readonly type: "refused"; readonly problems: readonly string[] }
  /** Another writer changed the same field: `live` is the current object, `merged` the edit applied to it. */
  | {
      readonly type: "contested";
      readonly problems: readonly string[];
      readonly live: UntypedObject;
      readonly merged: UntypedObject;
    };

export interface Saving {
  readonly client: Client;
  readonly kind: ServedKind;
  readonly subresource: "status" | undefined;
  readonly signal: AbortSignal;
}

/** Attempts to write while other writers keep changing the object. */
const maxAttempts = 5;

/**
 * Writes an edited object. Changes that others made to `base` meanwhile are kept; if both changed the same field,
 * nothing is written and the result is `contested`.
 */
export async function save(saving: Saving, base: UntypedObject, edited: UntypedObject): Promise<SaveOutcome> {
  const { client, kind, subresource, signal } = saving;
  const mine = createMergePatch(json(base), json(edited));
  if (isJsonObject(mine) && Object.keys(mine).length === 0) return { type: "unchanged", object: base };
  const moved = identityChange(base, edited);
  if (moved !== undefined) return { type: "refused", problems: [moved] };
  let now = base;
  for (let attempt = 1; ; attempt++) {
    const next = applyMergePatch(json(now), mine) as unknown as UntypedObject;
    const version = now.metadata.resourceVersion;
    const body = {
      ...next,
      metadata: { ...next.metadata, ...(version !== undefined && { resourceVersion: version }) },
    };
    try {
      const object = await client.update(body, {
        subresource,
        fieldManager: "fettle-edit",
        fieldValidation: "Strict",
        signal,
      });
      const same = object.metadata.resourceVersion === version;
      return { type: same ? "unchanged" : "saved", object };
    } catch (error) {
      if (isConflict(error) && attempt < maxAttempts) {
        const live = await client.find(kind, base, { signal });
        if (live === undefined)
          throw new Error(`${kind.singular}/${base.metadata.name} was deleted by someone else`, {
            cause: error,
          });
        if (live.metadata.uid !== base.metadata.uid) {
          throw new Error(
            `${kind.singular}/${base.metadata.name} was deleted and recreated by someone else`,
            { cause: error },
          );
        }
        if (overlaps(mine, createMergePatch(json(base), json(live)))) {
          const merged = applyMergePatch(json(live), mine) as unknown as UntypedObject;
          return { type: "contested", problems: contested(base, live), live, merged };
        }
        now = live;
        continue;
      }
      const api = asApiError(error);
      if (api === undefined || (isNotFound(error) && api.status.details?.name !== undefined)) throw error;
      return { type: "refused", problems: refusal(error) };
    }
  }
}

function json(object: UntypedObject): Json {
  const shown = printableObject(object);
  const { resourceVersion: _, generation: _generation, ...metadata } = shown.metadata;
  return { ...shown, metadata } as unknown as Json;
}

function identityChange(base: UntypedObject, edited: UntypedObject): string | undefined {
  const of = ({ apiVersion, kind, metadata }: UntypedObject): Record<string, unknown> => ({
    apiVersion,
    kind,
    "metadata.name": metadata?.name,
    "metadata.namespace": metadata?.namespace,
  });
  const [before, after] = [of(base), of(edited)];
  const field = Object.keys(before).find((key) => before[key] !== after[key]);
  return field === undefined
    ? undefined
    : `${field} identifies the object and cannot be changed; it was ${String(before[field])}`;
}

/** True if two merge patches touch the same field. */
function overlaps(mine: Json, theirs: Json): boolean {
  if (!isJsonObject(mine) || !isJsonObject(theirs)) return true;
  return Object.keys(mine).some(
    (key) => Object.hasOwn(theirs, key) && overlaps(at(mine, key), at(theirs, key)),
  );
}

function at(object: JsonObject, key: string): Json {
  return object[key] ?? null;
}

function contested(base: UntypedObject, live: UntypedObject): readonly string[] {
  const changes = renderDiff(json(base), json(live), { color: false, context: 0 });
  return [
    "Someone else changed the same fields:",
    ...changes.split("\n"),
    "Below is the object with your changes applied over theirs. Save to write it, edit further, or empty the file to cancel.",
  ];
}

/** Lines of an error, one per cause. */
function refusal(error: unknown): readonly string[] {
  const api = asApiError(error);
  const causes = api?.status.details?.causes ?? [];
  const lines = causes.map(({ field, message }) => (field ? `${field}: ${message}` : (message ?? "")));
  return ["The server rejected the change:", ...(lines.length > 0 ? lines : [api?.message ?? String(error)])];
}
