import { failures, parseApiVersion } from "../../../model/core.js";
import type { KindInfo } from "../../kinds/kind.js";
import type { Scope, Subresource, Target } from "../transport.js";

/** Query parameters; what is undefined or empty is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Where a group and version are served.
 *
 * @example
 * versionPath("v1"); // "/api/v1"
 * versionPath("apps/v1"); // "/apis/apps/v1"
 */
export function versionPath(apiVersion: string): string {
  const parsed = parseApiVersion(apiVersion);
  if (parsed === undefined || parsed.version === "") {
    throw failures.badRequest(
      `${JSON.stringify(apiVersion)} is no apiVersion: write it as in "v1" or "apps/v1"`,
    );
  }
  const version = segment(parsed.version, "a version");
  return parsed.group === "" ? `/api/${version}` : `/apis/${segment(parsed.group, "a group")}/${version}`;
}

/** Where the objects of a kind are: in one namespace, or in all. */
export function collectionPath({ apiVersion, plural, scope }: KindInfo, { namespace }: Scope): string {
  const start = versionPath(apiVersion);
  const collection = segment(plural, "the plural name of a kind");
  // Kinds without namespaces have none, whatever is asked for.
  if (scope === "Cluster" || namespace === undefined) return `${start}/${collection}`;
  return `${start}/namespaces/${segment(namespace, "a namespace")}/${collection}`;
}

/** Where one object is. */
export function objectPath(kind: KindInfo, { name, namespace }: Target, subresource?: Subresource): string {
  if (kind.scope === "Namespaced" && namespace === undefined) {
    throw failures.badRequest(`${kind.plural} are in namespaces: say in which ${JSON.stringify(name)} is`);
  }
  // Without a name this would be the path of all objects, which a delete must never see.
  const path = `${collectionPath(kind, { namespace })}/${segment(name, `the name of one of the ${kind.plural}`)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** The question mark and what follows; nothing when there is nothing to say. */
export function queryText(query: Query): string {
  const text = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
    .join("&");
  return text === "" ? "" : `?${text}`;
}

function segment(text: string, what: string): string {
  if (text === "" || text === "." || text === "..") {
    throw failures.badRequest(`${JSON.stringify(text)} cannot be ${what}`);
  }
  return encodeURIComponent(text);
}
