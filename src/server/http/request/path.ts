import { failures } from "../../../model/core.js";

/** What a path names: a kind's collection, one object, or a part of it. */
export interface ResourcePath {
  /** The empty text for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural name. */
  readonly resource: string;
  /** The namespace in the path; for namespaces themselves their own name, as access rules see it. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The old form `/api/v1/watch/…`, which watches whatever else the request says. */
  readonly watch: boolean;
}

/**
 * The path as text. A client may escape any byte, and an escaped slash separates like a plain one, as in Kubernetes.
 * Throws a 400 for escapes that are none, and for bytes that are no UTF-8.
 */
export function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    throw failures.badRequest(`the path ${JSON.stringify(path)} has an invalid URL escape`);
  }
}

/** Reads `/api/v1/…` and `/apis/group/version/…`. Undefined for everything that names no resource. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  if (!path.startsWith("/api")) return undefined;
  const parts = path.split("/");
  // A slash at the end (or several) adds nothing.
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
    // `namespaces/x/status` is a part of the namespace x; anything else is a kind in it.
    if (after !== undefined && !(at + 3 === length && isNamespacePart(after))) at += 2;
    // Namespaces are in no namespace.
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

function isNamespacePart(text: string): boolean {
  return text === "status" || text === "finalize";
}
