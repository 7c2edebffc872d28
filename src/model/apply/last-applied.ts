import { getOwn, isJsonObject, type Json, type JsonObject } from "../object/json.js";
import { utf8Length } from "../object/utf8.js";
import { difference, emptySet, type FieldSet } from "./fields/field-set.js";
import { canonicalJson } from "./fields/canonical-json.js";
import { compareTyped } from "./typed/compare.js";
import { fieldSetOf } from "./typed/field-set-of.js";
import type { FieldType } from "./typed/field-type.js";
import { typeFaults } from "./typed/type-faults.js";

/*
 * Migration from client-side apply. Client-side `kubectl apply` stores the last applied configuration in an
 * annotation, and owns its fields by updates as another manager (`kubectl-client-side-apply` or an older
 * name). Switching to `kubectl apply --server-side` must not cause conflicts with those:
 *
 * - `kubectl` may take over, without force, every field that the annotation has with its current value.
 * - As long as the annotation exists, it is updated with what `kubectl` applies, so that users can switch
 *   back.
 *
 * (kubectl itself does more: after the first server-side apply it releases the fields of
 * `kubectl-client-side-apply`, by applying as that manager or by patching managedFields. That needs no
 * support here.)
 */

const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/** Field manager that this applies to; other managers are not affected. */
export const kubectl = "kubectl";

/** Limit for all annotations, in bytes. */
const annotationsLimit = 256 * 1024;

/** Fields that `kubectl` may take over without force. */
export function fieldsToTakeOver(live: JsonObject, type: FieldType, apiVersion: string): FieldSet {
  const last = lastApplied(live);
  if (last === undefined || getOwn(last, "apiVersion") !== apiVersion) return emptySet;
  if (typeFaults(live, type).length > 0 || typeFaults(last, type).length > 0) return emptySet;
  const { added, modified, removed } = compareTyped(last, live, type);
  return [modified, added, removed].reduce(difference, fieldSetOf(last, type));
}

function lastApplied(live: JsonObject): JsonObject | undefined {
  const text = getOwn(annotationsOf(live), annotation);
  if (typeof text !== "string" || text === "") return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Updates the annotation, if the object has one; removes it if it would become too large. */
export function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (typeof annotations[annotation] !== "string" || annotations[annotation] === "") return object;
  const { [annotation]: _, ...others } = annotations;
  const updated: JsonObject = {
    ...annotations,
    [annotation]: `${canonicalJson(withoutAnnotation(config))}\n`,
  };
  let size = 0;
  for (const [key, value] of Object.entries(updated)) {
    size += utf8Length(key) + (typeof value === "string" ? utf8Length(value) : 0);
  }
  const metadata = { ...metadataOf(object), annotations: size > annotationsLimit ? others : updated };
  return { ...object, metadata };
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const { [annotation]: _, ...annotations } = annotationsOf(config);
  if (!Object.hasOwn(metadataOf(config), "annotations")) return config;
  return { ...config, metadata: { ...metadataOf(config), annotations } };
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = getOwn(object, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}

function annotationsOf(object: JsonObject): JsonObject {
  const annotations = getOwn(metadataOf(object), "annotations");
  return isJsonObject(annotations) ? annotations : {};
}
