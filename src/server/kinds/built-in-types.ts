import { servedKinds, type BuiltInKind } from "../../model/built-in-kinds.js";
import type { ResourceType, Subresources, Verb } from "../resources/resource-type.js";
import { structSchema } from "./schema/build-schema.js";
import { kindRules, type KindHooks } from "./strategy/index.js";
import type { KindRules } from "./strategy/kind-rules.js";
import { blankObject } from "./typed/blank-object.js";
import { typedRules } from "./typed/typed-rules.js";
import { findBuiltInKind } from "./types.js";

/** Resource types of all built-in kinds that the server serves. */
export function builtInTypes(hooks: KindHooks = {}): readonly ResourceType[] {
  const rules = kindRules(hooks);
  const apiVersions = [...new Set(Object.values(servedKinds).map(({ apiVersion }) => apiVersion))];
  return (Object.keys(servedKinds) as (keyof typeof servedKinds)[]).map((name) => {
    const kind = servedKinds[name];
    // Discovery lists groups in the order of served kinds, before those of definitions.
    return resourceType(kind, rules[name], apiVersions.length - apiVersions.indexOf(kind.apiVersion));
  });
}

const allVerbs: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

function resourceType(builtIn: BuiltInKind, rules: KindRules, groupPriority: number): ResourceType {
  const { apiVersion, kind, plural, scope, shortNames = [], categories = [] } = builtIn;
  const struct = findBuiltInKind(apiVersion, kind);
  if (struct === undefined) throw new Error(`api-types does not describe ${apiVersion} ${kind}`);
  const { group, version } = struct.group;
  const { columns, strategy, selectableFields = new Map(), storage, answer } = rules;
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames,
    categories,
    namespaced: scope === "Namespaced",
    verbs: verbsOf(builtIn),
    capabilities: {
      protobuf: true,
      strategicMerge: true,
      decoding: "typed",
      unqualifiedFinalizers: anyFinalizer.has(group) ? "accept" : "refuse",
      routes: "installed",
      fieldSelectors: selectableFields.size > 0 ? "declared" : "metadata",
      openapi: "named-types",
      groupPriority,
    },
    deprecation: rules.deprecation,
    storage: {
      prefix: `/${group === "" ? "core" : group}/${plural}/`,
      apiVersion,
      kind,
      schemaRevision: 0,
      ...storage,
    },
    answer,
    // Built on first use: most servers see objects of few kinds.
    get schema() {
      return structSchema(struct);
    },
    rules: typedRules(struct, rules.defaults),
    get blank() {
      return blankObject(struct);
    },
    subresources: subresourcesOf(builtIn, rules),
    columns,
    selectableFields,
    strategy,
  };
}

function verbsOf({ onlyVerb, withoutVerbs = [] }: BuiltInKind): readonly Verb[] {
  if (onlyVerb !== undefined) return [onlyVerb];
  const lacking: readonly Verb[] = withoutVerbs;
  return allVerbs.filter((verb) => !lacking.includes(verb));
}

/** Groups whose kinds accept any finalizer name. */
const anyFinalizer = new Set(["apiextensions.k8s.io", "coordination.k8s.io"]);

function subresourcesOf({ subresources = [] }: BuiltInKind, { scale }: KindRules): Subresources {
  const flags = subresources.filter((name) => name !== "scale").map((name) => [name, true]);
  return {
    ...(Object.fromEntries(flags) as Subresources),
    ...(subresources.includes("scale") && scale && { scale }),
  };
}
