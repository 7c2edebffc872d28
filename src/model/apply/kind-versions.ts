import type { JsonObject } from "../object/json.js";
import { emptySet, type FieldSet, setOf, union } from "./fields/field-set.js";
import { fieldElement } from "./fields/path-element.js";
import { compareObjects, ignoring } from "./typed/compare.js";
import type { FieldType } from "./typed/field-type.js";

/** A kind in all its versions, since owners own fields in the version in which they wrote them. */
export interface KindVersions {
  /** The type of whole objects (`objectType`) by apiVersion. Owners in other versions are forgotten. */
  readonly types: ReadonlyMap<string, FieldType>;
  /** The object in another of the versions. Without it versions differ in nothing but their schemas. */
  readonly convert?: ((object: JsonObject, apiVersion: string) => JsonObject) | undefined;
}

/** The object in a version; undefined when there is no such version. */
export function inVersion(
  object: JsonObject,
  apiVersion: string,
  versions: KindVersions,
): { value: JsonObject; type: FieldType } | undefined {
  const type = versions.types.get(apiVersion);
  if (type === undefined) return undefined;
  if (object["apiVersion"] === apiVersion) return { value: object, type };
  return { value: versions.convert?.(object, apiVersion) ?? { ...object, apiVersion }, type };
}

/** How an object changes, as seen in one of its versions. */
export interface VersionChange {
  /** The fields that are added or modified. */
  readonly written: FieldSet;
  readonly removed: FieldSet;
}

/** How an object changes, as seen in each of its versions. */
export class VersionChanges {
  readonly #before: JsonObject;
  readonly #after: JsonObject;
  readonly #versions: KindVersions;
  readonly #ignored: FieldSet;
  readonly #known: { apiVersion: string; type: FieldType; change: VersionChange }[] = [];

  constructor(before: JsonObject, after: JsonObject, versions: KindVersions, ignored: FieldSet) {
    this.#before = before;
    this.#after = after;
    this.#versions = versions;
    this.#ignored = ignored;
  }

  /** What changes in a version; undefined when there is no such version. */
  forVersion(apiVersion: string): VersionChange | undefined {
    for (const known of this.#known) if (known.apiVersion === apiVersion) return known.change;
    const type = this.#versions.types.get(apiVersion);
    if (type === undefined) return undefined;
    // Versions with one schema differ in nothing, unless objects are converted.
    const twin = this.#versions.convert ? undefined : this.#known.find((known) => known.type === type);
    const change = twin?.change ?? this.#compare(apiVersion, type);
    this.#known.push({ apiVersion, type, change });
    return change;
  }

  #compare(apiVersion: string, type: FieldType): VersionChange {
    const before = inVersion(this.#before, apiVersion, this.#versions)?.value ?? this.#before;
    const after = inVersion(this.#after, apiVersion, this.#versions)?.value ?? this.#after;
    const { added, modified, removed } = ignoring(compareObjects(before, after, type), this.#ignored);
    return { written: union(modified, added), removed };
  }
}

/** Fields that every write sets, or that nobody can: nobody owns them. */
export const unownedFields: FieldSet = setOf(
  [fieldElement("apiVersion")],
  [fieldElement("kind")],
  [fieldElement("metadata")],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => [fieldElement("metadata"), fieldElement(name)]),
);

const status = setOf([fieldElement("status")]);
const spec = setOf([fieldElement("spec")]);

/**
 * The fields that a write does not touch, whatever it says of them, when a kind has a status apart: with the main
 * resource the status, with the status the spec.
 */
export function resetFields(hasStatus: boolean, subresource: string | undefined): FieldSet {
  if (subresource === "status") return spec;
  return hasStatus && (subresource ?? "") === "" ? status : emptySet;
}
