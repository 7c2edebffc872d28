import type { ResourceType, Strategy, Subresources, Verb } from "../resources/resource-type.js";
import { schemaOf } from "./schema/build-schema.js";
import { allRules } from "./strategy/index.js";
import type { KindRules } from "./strategy/kind-rules.js";
import type { ResourceDefinition, StructType } from "./idl/type-definition.js";
import { blankObject } from "./typed/blank-object.js";
import { typedRules } from "./typed/typed-rules.js";
import { allTypes } from "./types.js";

/** Rules that come from other parts of the server. */
export interface BuiltInHooks {
  /** Defaults and checks of definitions. */
  readonly customResourceDefinition?: Partial<Strategy> | undefined;
}

/** The kinds that are served from the start, in all their versions: those that `api-types` gives a plural. */
export function builtInTypes(hooks: BuiltInHooks = {}): readonly ResourceType[] {
  const rules = allRules(hooks.customResourceDefinition);
  const groups = [...new Set(allTypes().map(({ group }) => group.group))];
  return allTypes().flatMap((struct) => {
    if (struct.resource === undefined) return [];
    const name = `${struct.group.name}.${struct.name}`;
    const kindRules = rules[name];
    if (kindRules === undefined)
      throw new Error(`${name} is in api-types, but strategy/index.ts has no rules for it`);
    // Discovery lists the groups in the order of api-types, before those of definitions.
    const groupPriority = groups.length - groups.indexOf(struct.group.group);
    return [resourceType(struct, struct.resource, kindRules, groupPriority)];
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

function resourceType(
  struct: StructType,
  resource: ResourceDefinition,
  kindRules: KindRules,
  groupPriority: number,
): ResourceType {
  const { group, version, apiVersion } = struct.group;
  const { columns, strategy, selectableFields = new Map(), storage } = kindRules;
  return {
    group,
    version,
    kind: struct.name,
    listKind: `${struct.name}List`,
    plural: resource.plural,
    singular: struct.name.toLowerCase(),
    shortNames: resource.shortNames,
    categories: resource.categories,
    namespaced: resource.namespaced,
    verbs: allVerbs.filter((verb) => !resource.without.includes(verb)),
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
    storage: {
      prefix: `/${group === "" ? "core" : group}/${resource.plural}/`,
      apiVersion,
      kind: struct.name,
      schemaRevision: 0,
      ...storage,
    },
    // Most servers see few of the kinds there are, so it is made when it is needed.
    get schema() {
      return schemaOf(struct);
    },
    rules: typedRules(struct, kindRules.defaults),
    get blank() {
      return blankObject(struct);
    },
    subresources: subresourcesOf(resource, kindRules),
    columns,
    selectableFields,
    strategy,
  };
}

/** Groups whose kinds accept any finalizer name. */
const anyFinalizer = new Set(["apiextensions.k8s.io", "coordination.k8s.io"]);

function subresourcesOf({ subresources }: ResourceDefinition, { scale }: KindRules): Subresources {
  return {
    ...(subresources.includes("status") && { status: true }),
    ...(subresources.includes("finalize") && { finalize: true }),
    ...(subresources.includes("scale") && scale && { scale }),
  };
}
