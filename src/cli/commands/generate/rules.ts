import { objectWatches } from "../../../runtime/controller/event-watch.js";
import { builtInKinds } from "../../../model/built-in-kinds.js";
import type { AnyKind } from "../../../client/kinds/kind.js";
import { parseApiVersion } from "../../../model/core.js";
import { pluralOf } from "../../../model/resource/plural.js";
import { pausesName } from "../../../plane/pauses/pauses.js";
import type { Controller } from "../../../runtime/controller/controller.js";

/** Rule of a Kubernetes RBAC role. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Usual order of verbs in RBAC rules. */
const verbOrder = ["get", "list", "watch", "create", "update", "patch", "delete"];
const reading = ["get", "list", "watch"];

/**
 * Permissions that controllers need in all namespaces, and no more: to read the kinds they reconcile, own and watch, to
 * write the status of the reconciled kind, and to write the owned kinds. Requests that their code makes through
 * `client` are not included.
 */
export function rulesOf(controllers: readonly Controller[], definitions: readonly string[]): readonly Rule[] {
  const verbs = new Map<string, Set<string>>();
  const allow = (
    kind: AnyKind,
    subresource: "" | "/status" | "/finalizers",
    wanted: readonly string[],
  ): void => {
    const { group, plural } = addressOf(kind);
    const key = `${group} ${plural}${subresource}`;
    verbs.set(key, new Set([...(verbs.get(key) ?? []), ...wanted]));
  };
  for (const { options, owns, style } of controllers) {
    const cleansUp = style.type === "declarative" && style.options.cleanup !== undefined;
    allow(options.for, "", reading);
    // A finalizer is written with the object itself; a plain controller may write any field.
    if (cleansUp || style.type === "plain") allow(options.for, "", ["patch"]);
    if (style.type === "plain") allow(options.for, "", ["update"]);
    allow(options.for, "/status", style.type === "plain" ? ["patch", "update"] : ["patch"]);
    // Clusters with OwnerReferencesPermissionEnforcement require permission on the owner's finalizers.
    if (owns.length > 0) allow(options.for, "/finalizers", ["update"]);
    for (const kind of owns) allow(kind, "", [...reading, "create", "patch", "delete"]);
    for (const { kind } of objectWatches(options.watches)) allow(kind, "", reading);
  }
  allow("v1/Event", "", ["create", "patch"]);
  const rules = [...verbs].map(([key, allowed]): Rule => {
    const [group = "", resource = ""] = key.split(" ");
    return {
      apiGroups: [group],
      resources: [resource],
      verbs: verbOrder.filter((verb) => allowed.has(verb)),
    };
  });
  if (definitions.length === 0) return rules;
  const seeing = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] };
  return [...rules, { ...seeing, resourceNames: definitions, verbs: ["get"] }];
}

/** Permissions for leader election, in the namespace of the operator. */
export const leaseRules: readonly Rule[] = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
];

/** Permissions for following `fettle pause KIND`, in the namespace of the operator. */
export const pauseRules: readonly Rule[] = [
  { apiGroups: [""], resources: ["configmaps"], resourceNames: [pausesName], verbs: reading },
];

/** Permissions for sharding, in the namespace of the operator. */
export const shardRules: readonly Rule[] = [
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    verbs: ["get", "list", "create", "update", "delete"],
  },
];

/** API group and plural of a kind. The plural of a kind given by name only is guessed by the rules of English. */
function addressOf(kind: AnyKind): { readonly group: string; readonly plural: string } {
  const { apiVersion, name, plural } = named(kind);
  const known = Object.values(builtInKinds).find(
    (each) => each.apiVersion === apiVersion && each.kind === name,
  );
  const group = parseApiVersion(apiVersion)?.group ?? "";
  return { group, plural: plural ?? known?.plural ?? pluralOf(name) };
}

function named(kind: AnyKind): { apiVersion: string; name: string; plural?: string } {
  if (typeof kind === "string") {
    const slash = kind.lastIndexOf("/");
    return { apiVersion: kind.slice(0, slash), name: kind.slice(slash + 1) };
  }
  const plural = "plural" in kind ? { plural: kind.plural } : {};
  return { apiVersion: kind.apiVersion, name: kind.kind, ...plural };
}
