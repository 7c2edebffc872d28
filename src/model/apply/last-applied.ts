import { getOwn, isJsonObject, type Json, type JsonObject } from "../object/json.js";
import { utf8Length } from "../object/utf8.js";
import { difference, emptySet, type FieldSet } from "./fields/field-set.js";
import { canonicalJson } from "./fields/canonical-json.js";
import { compareTyped } from "./typed/compare.js";
import { fieldSetOf } from "./typed/field-set-of.js";
import type { FieldType } from "./typed/field-type.js";
import { typeFaults } from "./typed/type-faults.js";

/*
 * The hand-over from client-side apply. `kubectl apply` of old keeps what it applied last in an annotation, and owns its
 * fields by updates under another name (`kubectl-client-side-apply`, or whatever it was called then). When the same
 * person goes on with `kubectl apply --server-side`, that must not end in conflicts with the past:
 *
 * - `kubectl` may take over, unforced, every field that the annotation has with the value that is live.
 * - As long as there is an annotation, what `kubectl` applies is written into it, so that one can go back.
 *
 * (kubectl does more on its side: after the first server-side apply it lets go of what `kubectl-client-side-apply` owns
 * by applying under that name or by patching managedFields; nothing special is needed for that.)
 */

const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The name to which this applies; whoever wants none of it takes another. */
export const kubectl = "kubectl";

/** Annotations together may be this large. */
const annotationsLimit = 256 * 1024;

/** The fields that `kubectl` may take over from others, unforced. */
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

/** The object with its annotation, if it has one, saying what was applied; without one that would become too large. */
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
