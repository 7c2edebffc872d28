import type { JsonObject } from "../object/json.js";
import { emptySet, type FieldSet, setOf, union } from "./fields/field-set.js";
import { fieldElement } from "./fields/path-element.js";
import { compareObjects, ignoring } from "./typed/compare.js";
import type { FieldType } from "./typed/field-type.js";

/** Versions of a kind: fields are owned in the version in which they were written. */
export interface KindVersions {
  /** Type of whole objects (`objectType`) by apiVersion. Owners in other versions are dropped. */
  readonly types: ReadonlyMap<string, FieldType>;
  /** Converts an object to another version. Default: versions differ only in their schemas. */
  readonly convert?: ((object: JsonObject, apiVersion: string) => JsonObject) | undefined;
}

/** Converts an object to a version; undefined if the kind does not have it. */
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

/** Change of an object, in one of its versions. */
export interface VersionChange {
  /** Fields added or modified. */
  readonly written: FieldSet;
  readonly removed: FieldSet;
}

/** Change of an object in each of its versions, computed on demand. */
export class VersionChanges {
  readonly #before: JsonObject;
  readonly #after: JsonObject;
  readonly #versions: KindVersions;
  readonly #ignored: FieldSet;
  readonly #computed: { apiVersion: string; type: FieldType; change: VersionChange }[] = [];

  constructor(before: JsonObject, after: JsonObject, versions: KindVersions, ignored: FieldSet) {
    this.#before = before;
    this.#after = after;
    this.#versions = versions;
    this.#ignored = ignored;
  }

  /** Change in a version; undefined if the kind does not have it. */
  forVersion(apiVersion: string): VersionChange | undefined {
    for (const computed of this.#computed) if (computed.apiVersion === apiVersion) return computed.change;
    const type = this.#versions.types.get(apiVersion);
    if (type === undefined) return undefined;
    // Versions with the same schema have the same change, unless objects are converted.
    const twin = this.#versions.convert
      ? undefined
      : this.#computed.find((computed) => computed.type === type);
    const change = twin?.change ?? this.#compare(apiVersion, type);
    this.#computed.push({ apiVersion, type, change });
    return change;
  }

  #compare(apiVersion: string, type: FieldType): VersionChange {
    const before = inVersion(this.#before, apiVersion, this.#versions)?.value ?? this.#before;
    const after = inVersion(this.#after, apiVersion, this.#versions)?.value ?? this.#after;
    const { added, modified, removed } = ignoring(compareObjects(before, after, type), this.#ignored);
    return { written: union(modified, added), removed };
  }
}

/** Fields that nobody owns, because every write sets them or none can. */
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
 * Fields that a write cannot change if the kind has a status subresource: the status through the main
 * resource, the spec through the status.
 */
export function resetFields(hasStatus: boolean, subresource: string | undefined): FieldSet {
  if (subresource === "status") return spec;
  return hasStatus && (subresource ?? "") === "" ? status : emptySet;
}
