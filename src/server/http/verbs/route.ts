import { ApiError, failures } from "../../../model/core.js";
import { failure, type StatusReason } from "../../../model/errors/status.js";
import type { Scope, Subresource } from "../../registry/requests.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { ServedRegistry } from "../context.js";
import { PageNotFound } from "../page-not-found.js";
import { booleanOf, type Query } from "../request/query.js";
import type { ResourcePath } from "../request/path.js";

/** What a request for a resource wants: one of the verbs that access rules speak of. */
export function verbOf(method: string, path: ResourcePath, query: () => Query): string {
  if (path.watch) return "watch";
  switch (method) {
    case "GET":
    case "HEAD":
      if (path.name !== undefined) return "get";
      return booleanOf(query(), "watch") ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return path.name === undefined ? "deletecollection" : "delete";
    default:
      return method.toLowerCase();
  }
}

/** Where a request goes. */
export interface Route {
  readonly type: ResourceType;
  readonly scope: Scope;
  readonly name: string | undefined;
  readonly subresource: Subresource | undefined;
}

/**
 * Checks that a kind can do what is asked of it. Built-in and custom kinds fail in
 * different words, as they do in Kubernetes.
 */
export function routeOf(type: ResourceType, path: ResourcePath, verb: string, method: string): Route {
  const { group, resource, name, subresource } = path;
  // The name of a namespace counts as its namespace for access rules only.
  const namespace = type.namespaced || resource !== "namespaces" ? path.namespace : undefined;
  if (!type.namespaced && namespace !== undefined) throw missing(type);
  if (type.namespaced && namespace === undefined) {
    const everywhere = name === undefined && (verb === "list" || verb === "watch");
    if (!everywhere) throw isInstalled(type) && name === undefined ? notAllowed(type, verb) : missing(type);
  }
  if (subresource === undefined) {
    if (!isServed(type, verb, name, method)) throw notAllowed(type, verb);
    return { type, scope: { namespace }, name, subresource: undefined };
  }
  if (!hasSubresource(type, subresource)) {
    throw isInstalled(type) ? missing(type) : failures.notFound({ group, resource }, name ?? "");
  }
  const verbs = subresource === "finalize" ? ["update"] : ["get", "update", "patch"];
  if (!verbs.includes(verb)) throw notAllowed(type, verb);
  return { type, scope: { namespace }, name, subresource };
}

function isServed(type: ResourceType, verb: string, name: string | undefined, method: string): boolean {
  const { verbs } = type;
  if (!(verbs as readonly string[]).includes(verb)) return false;
  if (verb === "watch") return method === "GET" || method === "HEAD";
  const needsName = verb === "get" || verb === "update" || verb === "patch" || verb === "delete";
  return needsName === (name !== undefined);
}

function hasSubresource(type: ResourceType, name: string): name is Subresource {
  if (name !== "status" && name !== "scale" && name !== "finalize") return false;
  return type.subresources[name] !== undefined;
}

/** What is said when a path names a kind that is not served. */
export function unknownKind(registry: ServedRegistry, { group, version }: ResourcePath): Error {
  const installed = registry.types.all.some(
    (type) => isInstalled(type) && type.group === group && type.version === version,
  );
  return installed ? resourceNotFound() : new PageNotFound();
}

function isInstalled({ capabilities }: ResourceType): boolean {
  return capabilities.routes === "installed";
}

function missing(type: ResourceType): Error {
  return isInstalled(type) ? resourceNotFound() : new PageNotFound();
}

function resourceNotFound(): ApiError {
  return generic("NotFound", "the server could not find the requested resource");
}

function notAllowed(type: ResourceType, verb: string): ApiError {
  if (!isInstalled(type))
    return failures.methodNotSupported({ group: type.group, resource: type.plural }, verb);
  return generic("MethodNotAllowed", "the server does not allow this method on the requested resource");
}

function generic(reason: StatusReason, message: string): ApiError {
  return new ApiError(failure(reason, message, {}));
}
