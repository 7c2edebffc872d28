import type { KindInfo, KindReference } from "./kinds/kind.js";
import type { Scope, Target } from "./transport/transport.js";

/**
 * Which object: its name (in the client's own namespace), `"namespace/name"`, both as fields, or the object itself.
 * The namespace is ignored for kinds that have none.
 */
export type ObjectRef =
  | string
  | { readonly name: string; readonly namespace?: string | undefined }
  | { readonly metadata: { readonly name?: string; readonly namespace?: string } };

/** The object that is meant; `fallback` is the namespace of those who do not say theirs. */
export function targetOf(info: KindInfo, which: ObjectRef, fallback: string): Target {
  const { name = "", namespace } = partsOf(which);
  if (name === "")
    throw new TypeError(`${nameOf(info)}: which one is meant is not said; its name is missing`);
  checkPart(info, "name", name);
  if (info.scope === "Cluster") return { name };
  return { namespace: scopeOf(info, namespace || fallback).namespace, name };
}

function partsOf(which: ObjectRef): { readonly name?: string; readonly namespace?: string | undefined } {
  if (typeof which !== "string") return "metadata" in which ? which.metadata : which;
  const slash = which.indexOf("/");
  return slash < 0 ? { name: which } : { namespace: which.slice(0, slash), name: which.slice(slash + 1) };
}

/** The namespace that is meant, or all of them. */
export function scopeOf(info: KindInfo, namespace: string | undefined): Scope {
  if (info.scope === "Cluster" || !namespace) return {};
  checkPart(info, "namespace", namespace);
  return { namespace };
}

/** What cannot stand in a URL between two slashes would ask for something else. */
function checkPart(info: KindInfo, what: "name" | "namespace", text: string): void {
  const wrong = text === "." || text === ".." ? text : /[/%]/.exec(text)?.[0];
  if (wrong === undefined) return;
  const why = wrong === text ? "be that" : `have ${JSON.stringify(wrong)} in it`;
  throw new TypeError(`${nameOf(info)} ${JSON.stringify(text)}: a ${what} may not ${why}`);
}

/** A kind in messages: `apps/v1/Deployment`. */
export function nameOf({ apiVersion, kind }: KindReference): string {
  return `${apiVersion}/${kind}`;
}
