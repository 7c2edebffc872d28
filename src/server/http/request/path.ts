import { failures } from "../../../model/core.js";
import { booleanOf, type Query } from "./query.js";

/** Parsed path of a collection, an object or a subresource. */
export interface ResourcePath {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural name of the kind. */
  readonly resource: string;
  /** Namespace in the path; for a Namespace object its own name, as authorization in Kubernetes expects. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** True for the deprecated form `/api/v1/watch/…`, which is a watch regardless of the query. */
  readonly watch: boolean;
}

/**
 * Decodes percent-escapes. An escaped slash separates like a plain one, as in Kubernetes. Throws a 400 for malformed escapes and
 * invalid UTF-8.
 */
export function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    throw failures.badRequest(`the path ${JSON.stringify(path)} has an invalid URL escape`);
  }
}

/** Parses `/api/v1/…` and `/apis/group/version/…`; undefined for paths without a resource. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  if (!path.startsWith("/api")) return undefined;
  const parts = path.split("/");
  // Trailing slashes are ignored.
  let length = parts.length;
  while (length > 1 && parts[length - 1] === "") length--;
  for (let index = 1; index < length; index++) if (parts[index] === "") return undefined;

  let at = 2;
  let group = "";
  if (parts[1] === "apis") group = parts[at++] ?? "";
  else if (parts[1] !== "api") return undefined;
  const version = parts[at++] ?? "";
  if (at >= length) return undefined;

  const watch = parts[at] === "watch" && at + 1 < length;
  if (watch) at++;

  let namespace: string | undefined;
  if (parts[at] === "namespaces" && at + 1 < length) {
    namespace = parts[at + 1];
    const after = at + 2 < length ? parts[at + 2] : undefined;
    // `namespaces/x/status` is a subresource of the namespace x; anything else is a kind in it.
    if (after !== undefined && !(at + 3 === length && isNamespaceSubresource(after))) at += 2;
    // Namespaces are cluster-scoped.
    if (after === "namespaces") return undefined;
  }
  if (length - at > 3) return undefined;
  return {
    group,
    version,
    resource: parts[at] ?? "",
    namespace,
    name: at + 1 < length ? parts[at + 1] : undefined,
    subresource: at + 2 < length ? parts[at + 2] : undefined,
    watch,
  };
}

function isNamespaceSubresource(text: string): boolean {
  return text === "status" || text === "finalize";
}

/** API verb of a request; for methods without a verb, the method in lower case. */
export function verbOf(method: string, path: ResourcePath, query: () => Query): string {
  switch (method) {
    case "GET":
    case "HEAD":
      if (path.watch) return "watch";
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
