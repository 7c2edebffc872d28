import type { KindInfo } from "../../kinds/kind.js";
import { checkSegment, groupVersionOf, requestScope } from "../address.js";
import type { Subresource } from "../transport.js";
import type { ObjectKey, Scope } from "../../../model/object/object-key.js";

/** Query parameters; undefined and empty values are omitted. */
export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Path of a group and version.
 *
 * @example
 * versionPath("v1"); // "/api/v1"
 * versionPath("apps/v1"); // "/apis/apps/v1"
 */
export function versionPath(apiVersion: string): string {
  const { group, version } = groupVersionOf(apiVersion);
  const last = segment(version, "a version");
  return group === "" ? `/api/${last}` : `/apis/${segment(group, "a group")}/${last}`;
}

/** Path of the objects of a kind: in one namespace, or in all. */
export function collectionPath(kind: KindInfo, scope: Scope): string {
  return pathIn(kind, requestScope(kind, scope));
}

/** Path of one object. */
export function objectPath(
  kind: KindInfo,
  { name, namespace }: ObjectKey,
  subresource?: Subresource,
): string {
  const path = `${pathIn(kind, requestScope(kind, { namespace, name }))}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

function pathIn({ apiVersion, plural }: KindInfo, { namespace }: Scope): string {
  const start = versionPath(apiVersion);
  const within = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${start}${within}/${encodeURIComponent(plural)}`;
}

/** The question mark and what follows; nothing when there is nothing to say. */
export function queryText(query: QueryParameters): string {
  const text = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
    .join("&");
  return text === "" ? "" : `?${text}`;
}

function segment(text: string, what: string): string {
  checkSegment(text, what);
  return encodeURIComponent(text);
}
