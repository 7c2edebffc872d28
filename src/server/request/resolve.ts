import { ApiError, failures } from "../../model/core.js";
import { failureStatus, type StatusReason } from "../../model/errors/status.js";
import type { ResourceType, Subresource, Verb } from "../resources/resource-type.js";
import { isSubresource, verbsOf } from "../resources/subresources.js";
import type { ResourceTypes } from "../resources/resource-types.js";
import type { ApiRequest } from "./api-request.js";

/** Error for a path at which no API is served: HTTP responds `404 page not found`, without a Status. */
export class PageNotFound extends Error {
  override readonly name = "PageNotFound";
}

/** Kind and subresource of a request. */
export interface ResolvedResource {
  readonly type: ResourceType;
  readonly subresource: Subresource | undefined;
}

type Address = Pick<ApiRequest, "verb" | "resource" | "scope" | "name" | "subresource">;

/** Outcome of {@link resolve}. A refusal is returned, not thrown, since only authorized users may see it. */
export type Resolution =
  | ResolvedResource
  | { readonly type: ResourceType | undefined; readonly refusal: Error };

/**
 * Finds the kind of a request and checks that it has the verb and the subresource. Refusals are a 404, a 405 or {@link PageNotFound},
 * worded as in Kubernetes, which differs by {@link Capabilities.routes}.
 */
export function resolve(types: ResourceTypes, request: Address): Resolution {
  const { group, version, resource } = request.resource;
  const type = types.find(group, version, resource);
  if (type === undefined) return { type, refusal: unknownResource(types, group, version) };
  try {
    return { type, subresource: checkRoute(type, request) };
  } catch (error) {
    return { type, refusal: error as Error };
  }
}

/** @throws when the kind does not serve this verb at this address. */
function checkRoute(type: ResourceType, request: Address): Subresource | undefined {
  const { verb, name, subresource } = request;
  const { namespace } = request.scope;
  if (!type.namespaced && namespace !== undefined) throw notServed(type);
  if (type.namespaced && namespace === undefined) {
    const isAllNamespaces = name === undefined && (verb === "list" || verb === "watch");
    if (!isAllNamespaces) {
      throw isInstalled(type) && name === undefined ? notAllowed(type, verb) : notServed(type);
    }
  }
  if (subresource === undefined) {
    // A kind without verbs on objects has no routes to them.
    if (name !== undefined && isInstalled(type) && !type.verbs.some(needsName)) throw notServed(type);
    if (!type.verbs.includes(verb) || needsName(verb) !== hasName(request)) throw notAllowed(type, verb);
    return undefined;
  }
  checkSubresource(type, name, subresource);
  if (!verbsOf(subresource).includes(verb)) throw notAllowed(type, verb);
  return subresource;
}

/** @throws {ApiError} 404 when the kind has no such subresource. */
export function checkSubresource(
  type: ResourceType,
  name: string | undefined,
  subresource: string,
): asserts subresource is Subresource {
  if (hasSubresource(type, subresource)) return;
  const { group, plural: resource } = type;
  throw isInstalled(type) ? notServed(type) : failures.notFound({ group, resource }, name ?? "");
}

/** True for a request for one object. A watch is a request for a collection, even when it names one object. */
function hasName({ verb, name }: Address): boolean {
  return verb === "watch" ? false : name !== undefined;
}

function needsName(verb: Verb): boolean {
  return verb === "get" || verb === "update" || verb === "patch" || verb === "delete";
}

function hasSubresource(type: ResourceType, name: string): name is Subresource {
  return isSubresource(name) && type.subresources[name] !== undefined;
}

function unknownResource(types: ResourceTypes, group: string, version: string): Error {
  const isKnownVersion = types.all.some(
    (type) => isInstalled(type) && type.group === group && type.version === version,
  );
  return isKnownVersion ? resourceNotFound() : new PageNotFound();
}

function isInstalled({ capabilities }: ResourceType): boolean {
  return capabilities.routes === "installed";
}

function notServed(type: ResourceType): Error {
  return isInstalled(type) ? resourceNotFound() : new PageNotFound();
}

function resourceNotFound(): ApiError {
  return genericError("NotFound", "the server could not find the requested resource");
}

/** 405; `verb` may also be an HTTP method that is not a verb. */
function notAllowed(type: ResourceType, verb: string): ApiError {
  if (!isInstalled(type)) {
    return failures.methodNotSupported({ group: type.group, resource: type.plural }, verb);
  }
  return genericError("MethodNotAllowed", "the server does not allow this method on the requested resource");
}

function genericError(reason: StatusReason, message: string): ApiError {
  return new ApiError(failureStatus(reason, message, {}));
}
