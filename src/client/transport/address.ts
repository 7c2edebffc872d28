import { failures, parseApiVersion, type GroupVersion } from "../../model/core.js";
import type { KindInfo } from "../kinds/kind.js";
import type { Scope } from "../../model/object/object-key.js";

/**
 * Group and version of a kind.
 *
 * @throws {ApiError} 400 when it is not an apiVersion.
 */
export function groupVersionOf(apiVersion: string): GroupVersion {
  const parsed = parseApiVersion(apiVersion);
  if (parsed === undefined || parsed.version === "") {
    throw failures.badRequest(
      `${JSON.stringify(apiVersion)} is not an apiVersion; use one such as "v1" or "apps/v1"`,
    );
  }
  return parsed;
}

/**
 * Scope of a request for objects of a kind: cluster-scoped kinds have no namespace, whatever the caller says.
 *
 * @throws {ApiError} 400 when the request could be taken for one about other objects: an object without its namespace, an empty
 * name.
 */
export function requestScope(
  { plural, scope }: KindInfo,
  { namespace, name }: Scope & { readonly name?: string | undefined },
): Scope {
  checkSegment(plural, "the plural name of a kind");
  if (name !== undefined && scope === "Namespaced" && namespace === undefined) {
    throw failures.badRequest(
      `${plural} are namespaced: the namespace of ${JSON.stringify(name)} is missing`,
    );
  }
  const isNamespaced = scope === "Namespaced" && namespace !== undefined;
  if (isNamespaced) checkSegment(namespace, "a namespace");
  // Without a name a delete would be for all objects.
  if (name !== undefined) checkSegment(name, `the name of one of the ${plural}`);
  return { namespace: isNamespaced ? namespace : undefined };
}

/** @throws {ApiError} 400 for text that cannot be a part of a path. */
export function checkSegment(text: string, what: string): void {
  if (text === "" || text === "." || text === "..") {
    throw failures.badRequest(`${JSON.stringify(text)} cannot be ${what}`);
  }
}
