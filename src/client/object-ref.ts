import type { KindInfo, KindReference } from "./kinds/kind.js";
import type { ObjectKey, Scope } from "../model/object/object-key.js";

/**
 * Reference to an object: its name (in the client's default namespace), `"namespace/name"`, both as fields, or the object
 * itself. The namespace is ignored for cluster-scoped kinds.
 */
export type ObjectRef =
  | string
  | { readonly name: string; readonly namespace?: string | undefined }
  | { readonly metadata: { readonly name?: string; readonly namespace?: string } };

/** Key of a referenced object; `fallback` is the namespace of a reference without one. */
export function targetOf(info: KindInfo, which: ObjectRef, fallback: string): ObjectKey {
  const { name = "", namespace } = partsOf(which);
  if (name === "") throw new TypeError(`${formatKind(info)}: the name of the object is missing`);
  checkPart(info, "name", name);
  if (info.scope === "Cluster") return { name };
  return { namespace: namespaceScope(info, namespace || fallback).namespace, name };
}

function partsOf(which: ObjectRef): { readonly name?: string; readonly namespace?: string | undefined } {
  if (typeof which !== "string") return "metadata" in which ? which.metadata : which;
  const slash = which.indexOf("/");
  return slash < 0 ? { name: which } : { namespace: which.slice(0, slash), name: which.slice(slash + 1) };
}

/** Scope of a request: one namespace, or all. */
export function namespaceScope(info: KindInfo, namespace: string | undefined): Scope {
  if (info.scope === "Cluster" || !namespace) return {};
  checkPart(info, "namespace", namespace);
  return { namespace };
}

/** Throws for names that cannot be a path segment of a URL. */
function checkPart(info: KindInfo, what: "name" | "namespace", text: string): void {
  const wrong = text === "." || text === ".." ? text : /[/%]/.exec(text)?.[0];
  if (wrong === undefined) return;
  const why = wrong === text ? "be that" : `have ${JSON.stringify(wrong)} in it`;
  throw new TypeError(`${formatKind(info)} ${JSON.stringify(text)}: a ${what} may not ${why}`);
}

/** A kind in messages: `apps/v1/Deployment`. */
export function formatKind({ apiVersion, kind }: KindReference): string {
  return `${apiVersion}/${kind}`;
}
