import type { Events } from "../../../events/events.js";
import { asApiError, failures, fromStatus, type Clock } from "../../../model/core.js";
import { isJsonObject, type Json } from "../../../model/object/json.js";
import type { Controllers } from "../../../runtime/start/start-controllers.js";
import { storeFailure } from "../../../server/registry/store-failures.js";
import {
  problemDetails,
  problemType,
  type Extension,
  type ExtensionRequest,
  type ExtensionResponse,
} from "../../../server/index.js";
import type { UserAccess } from "../../management/access.js";
import { integerParameter } from "../../management/parameters.js";
import { requireUser } from "../require-user.js";
import { controlStatus, reconcileObjects } from "./control.js";
import { confirmHeader, RestPaths, type FoundPath, type RestEndpoint } from "./endpoints.js";
import { etagOf, matchesEtag } from "./etag.js";
import { replaceCollection } from "./replace-collection.js";
import { preconditionRequired } from "./rest-errors.js";
import { RestItems } from "./rest-items.js";
import type { RestDocument, RestResource } from "./rest-resource.js";

/** Options of the REST API. */
export interface RestOptions {
  /** Beginning of its paths. Default: `/api/v2`. */
  readonly basePath?: string | undefined;
  /** Version in the OpenAPI document. Default: `v2`. */
  readonly version?: string | undefined;
  /** Paths and methods to serve. Default: all that operators declare, and `/control`. */
  readonly endpoints?: readonly RestEndpoint[] | undefined;
  /** Kinds to serve, besides those of operators. */
  readonly resources?: readonly RestResource[] | undefined;
}

export interface RestRouteOptions {
  readonly options: RestOptions;
  readonly clock: Clock;
  /** Parts that are started after the server. */
  readonly parts: () => {
    readonly controllers: Controllers;
    readonly users: UserAccess;
    readonly events: Pick<Events, "subscriptions">;
  };
}

/** The REST API, to which operators add their kinds. */
export interface RestRoute {
  readonly extension: Extension;
  readonly paths: RestPaths;
}

const defaultBasePath = "/api/v2";
const defaultLimit = 100;
const maxLimit = 1000;

/**
 * Serves objects as plain documents: a view of the API for programs that do not know Kubernetes. Requests are made as their user, so
 * that access, validation, conflicts and history are those of the API.
 */
export function restRoute({ options, clock, parts }: RestRouteOptions): RestRoute {
  const { basePath = defaultBasePath, version = "v2", endpoints, resources = [] } = options;
  const paths = new RestPaths(endpoints);
  for (const resource of resources) paths.add(resource, "rest.resources");
  const extension: Extension = {
    path: basePath,
    access: "own",
    errors: "problem",
    async serve(request) {
      const { method, path, user, headers } = request;
      const isRead = method === "GET" || method === "HEAD";
      if (path === "" && isRead && (headers["accept"] ?? "").includes("text/html")) {
        const { page } = await import("./page.js");
        return page(basePath);
      }
      requireUser(user);
      if (path === "" && isRead) return { json: indexOf(basePath, paths) };
      if (path === "openapi.json" && isRead) {
        const { openApiDocument } = await import("./openapi.js");
        return { json: openApiDocument({ basePath, version, paths: paths.all }) };
      }
      const found = paths.find(path);
      if (found === undefined) return undefined;
      const allowed = allowedMethods(found);
      if (method === "OPTIONS") return { code: 204, headers: { Allow: allowed.join(", ") }, empty: true };
      if (!allowed.includes(method)) return notAllowed(`${basePath}/${path}`, method, allowed);
      const { users, controllers, events } = parts();
      try {
        switch (found.target.type) {
          case "status":
            return await controlStatus(request, { controllers, users, events, clock });
          case "reconcile":
            return await reconcileObjects(request, { controllers, users, events, clock });
          default: {
            const { resource } = found.target;
            const namespace = resource.namespace ?? (request.parameter("namespace") || undefined);
            const client = users.clientAs(user);
            const items = new RestItems(resource, { client, namespace, signal: request.signal });
            return await serveResource({ request, found, resource, items, basePath, users });
          }
        }
      } catch (error) {
        if (!request.signal.aborted || asApiError(error) !== undefined) throw storeFailure(error);
        throw failures.serviceUnavailable("the client has disconnected, or the control plane is stopping");
      }
    },
  };
  return { extension, paths };
}

interface ResourceRequest {
  readonly request: ExtensionRequest;
  readonly found: FoundPath;
  readonly resource: RestResource;
  readonly items: RestItems;
  readonly basePath: string;
  readonly users: UserAccess;
}

async function serveResource(asked: ResourceRequest): Promise<ExtensionResponse | undefined> {
  const { request, found, resource, items, users } = asked;
  const { method, headers } = request;
  const { target, id } = found;
  const conditions = { ifMatch: headers["if-match"], ifNoneMatch: headers["if-none-match"] };
  const isRead = method === "GET" || method === "HEAD";
  if (target.type === "view") {
    const object = await items.get(id);
    const client = users.clientAs(request.user);
    const { signal } = request;
    const shown = await resource.views.get(target.view)?.get(object as never, { client, signal });
    return shown === undefined ? undefined : withEtag(shown, conditions.ifNoneMatch);
  }
  if (target.type === "item") {
    if (isRead) return withEtag(items.document(await items.get(id)), conditions.ifNoneMatch);
    if (method === "DELETE") {
      const left = await items.delete(id, conditions);
      return left === undefined ? { code: 204, empty: true } : { code: 202, json: left };
    }
    const { document, outcome } = await items.put(id, await documentIn(request), conditions);
    if (outcome === "created") return created(asked, document);
    return { headers: { ETag: etagOf(document) }, json: document };
  }
  if (isRead) return page(asked, conditions.ifNoneMatch);
  switch (method) {
    case "POST":
      return created(asked, await items.create(await documentIn(request)));
    case "PUT":
      requireConfirmation(request, "replace-all", resource);
      return { json: await replaceCollection(items, await documentsIn(request), conditions.ifMatch) };
    default: {
      requireConfirmation(request, "delete-all", resource);
      const all = await items.all();
      for (const { metadata } of all) await items.delete(metadata.name ?? "").catch(ignoreNotFound);
      return { json: { deleted: all.map(({ metadata }) => metadata.name) } };
    }
  }
}

async function page(
  { request, items, basePath, resource }: ResourceRequest,
  ifNoneMatch: string | undefined,
): Promise<ExtensionResponse> {
  const limit = integerParameter(request, "limit", { min: 1, max: maxLimit, fallback: defaultLimit });
  const { items: documents, next } = await items.page(limit, request.parameter("continue") || undefined);
  const query = new URLSearchParams({ limit: String(limit), continue: next ?? "" });
  const namespace = request.parameter("namespace");
  if (namespace) query.set("namespace", namespace);
  const link = next && `${basePath}/${resource.path}?${query.toString()}`;
  const body = { items: documents, ...(link && { next: link }) };
  const response = withEtag(body, ifNoneMatch, etagOf(documents));
  return link ? { ...response, headers: { ...response.headers, Link: `<${link}>; rel="next"` } } : response;
}

function withEtag(
  document: unknown,
  ifNoneMatch: string | undefined,
  etag = etagOf(document),
): ExtensionResponse {
  const headers = { ETag: etag };
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etag)) return { code: 304, headers, empty: true };
  return { headers, json: document };
}

function created(
  { basePath, resource, request }: ResourceRequest,
  document: RestDocument,
): ExtensionResponse {
  const namespace = request.parameter("namespace");
  const query = namespace ? `?${new URLSearchParams({ namespace }).toString()}` : "";
  const Location = `${basePath}/${resource.path}/${String(document["id"])}${query}`;
  return { code: 201, headers: { Location, ETag: etagOf(document) }, json: document };
}

function requireConfirmation(
  { headers }: ExtensionRequest,
  value: "replace-all" | "delete-all",
  { kind }: RestResource,
): void {
  if (headers[confirmHeader.toLowerCase()] === value) return;
  const effect = value === "delete-all" ? "deletes" : "replaces";
  throw preconditionRequired(
    `this ${effect} all ${kind.plural}: confirm it with the header ${confirmHeader}: ${value}`,
  );
}

/** @throws {ApiError} 400 or 415 unless the body is a JSON object. */
async function documentIn(request: ExtensionRequest): Promise<RestDocument> {
  const body = await jsonIn(request);
  if (isJsonObject(body)) return body;
  throw failures.badRequest("the body must be a JSON object");
}

async function documentsIn(request: ExtensionRequest): Promise<readonly RestDocument[]> {
  const body = await jsonIn(request);
  const list = isJsonObject(body) ? body["items"] : body;
  if (Array.isArray(list) && list.every((each: Json) => isJsonObject(each))) return list;
  throw failures.badRequest('the body must be a list of JSON objects, or {"items": […]}');
}

async function jsonIn(request: ExtensionRequest): Promise<Json | undefined> {
  const type = request.headers["content-type"] ?? "application/json";
  if (/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) return request.json();
  throw failures.unsupportedMediaType(["application/json"]);
}

function ignoreNotFound(error: unknown): undefined {
  if (asApiError(error)?.code === 404) return undefined;
  throw error;
}

function allowedMethods({ methods }: FoundPath): readonly string[] {
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}

function notAllowed(path: string, method: string, allowed: readonly string[]): ExtensionResponse {
  const message = `${path} has no ${method}; its methods are ${allowed.join(", ")}`;
  const { status } = fromStatus({ code: 405, reason: "MethodNotAllowed", message });
  return {
    code: 405,
    type: problemType,
    headers: { Allow: allowed.join(", ") },
    json: problemDetails(status, path),
  };
}

function indexOf(basePath: string, paths: RestPaths): object {
  return {
    openapi: `${basePath}/openapi.json`,
    paths: Object.fromEntries(
      paths.all.map(({ template, methods, description }) => [
        basePath + template,
        { methods, ...(description !== undefined && { description }) },
      ]),
    ),
  };
}
