import type { JsonObject } from "./json.js";

/** Points from an object to one that owns it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** At most one owner of an object has this set: the controller that manages it. */
  readonly controller?: boolean;
  /** Foreground deletion of the owner waits until this object is gone. */
  readonly blockOwnerDeletion?: boolean;
}

/** Which fields one manager wrote last, and how. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: "FieldsV1";
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
}

/** What every object has, whatever its kind. Times are RFC 3339 texts with seconds. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** The store's revision at which the object was last written; opaque to clients. */
  readonly resourceVersion?: string;
  /** Counts changes of the desired state, so that a status can say which one it has seen. */
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

/** An object as it is stored and sent. */
export interface KubeObject<Spec = unknown, Status = unknown> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: Spec;
  readonly status?: Status;
}

/** An API group and one of its versions; the core group is the empty text. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** An API group and the kind of an object in it. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** An API group and the plural name under which its objects are served. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/**
 * Splits an `apiVersion`; undefined when it has more than one slash.
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

/** Puts group and version together again: the reverse of {@link parseApiVersion}. */
export function formatApiVersion({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}

/**
 * A reference to `owner`, for the `ownerReferences` of what it owns.
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

/** The owner that controls this object, if it has one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Whether `owner` is among the owners of `object`. Compares uids, since a name can be used again. */
export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  const { uid } = owner.metadata;
  if (!uid) return false;
  return object.metadata.ownerReferences?.some((reference) => reference.uid === uid) ?? false;
}
