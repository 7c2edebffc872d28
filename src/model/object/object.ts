import type { JsonObject } from "./json.js";

/** Reference from an object to its owner. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** True for the managing controller; at most one owner has it set. */
  readonly controller?: boolean;
  /** Foreground deletion of the owner waits until this object is deleted. */
  readonly blockOwnerDeletion?: boolean;
}

/** Fields that one manager owns. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: "FieldsV1";
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
}

/** Metadata of every object. Times are RFC 3339 with whole seconds. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Store revision of the last write; opaque to clients. */
  readonly resourceVersion?: string;
  /** Counter of changes of the desired state. */
  readonly generation?: number;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string | null;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** Object of any kind, as stored and sent. */
export interface KubeObject<Spec = unknown, Status = unknown> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: Spec;
  readonly status?: Status;
}

/** API group and version; the core group is an empty string. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** API group and kind. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** API group and plural name of a kind. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/**
 * Parses an `apiVersion`; undefined if it has more than one slash.
 *
 * @example
 * parseApiVersion("apps/v1"); // { group: "apps", version: "v1" }
 * parseApiVersion("v1"); // { group: "", version: "v1" }
 */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const slash = apiVersion.indexOf("/");
  if (slash < 0) return { group: "", version: apiVersion };
  if (apiVersion.includes("/", slash + 1)) return undefined;
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Formats an `apiVersion`: the reverse of {@link parseApiVersion}. */
export function formatApiVersion({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}

/**
 * Creates a reference to `owner`, for the `ownerReferences` of its dependents.
 *
 * @example
 * const metadata = { name: "page-1", ownerReferences: [ownerReference(site, { controller: true })] };
 */
export function ownerReference(
  owner: KubeObject,
  options: { readonly controller?: boolean; readonly blockOwnerDeletion?: boolean } = {},
): OwnerReference {
  const { name, uid } = owner.metadata;
  if (!name || !uid) {
    const missing = name ? "uid" : "name";
    throw new TypeError(
      `${owner.kind} "${name ?? ""}" cannot be an owner: it has no metadata.${missing}; create it first and use the object that came back`,
    );
  }
  const { controller, blockOwnerDeletion } = options;
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name,
    uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}

/** Finds the owner reference of the managing controller. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** True if `owner` is an owner of `object`. Compares uids, because names can be reused. */
export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  const { uid } = owner.metadata;
  if (!uid) return false;
  return object.metadata.ownerReferences?.some((reference) => reference.uid === uid) ?? false;
}
