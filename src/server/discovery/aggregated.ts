import type { ResourceType } from "../resources/resource-type.js";
import { documentOf, type Document } from "./document.js";
import { groupsOf, type Group } from "./groups.js";
import { subresourcesOf } from "./subresources.js";

/** kubectl up to 1.29 asks for v2beta1, later ones for v2; they differ in nothing but the name. */
export type AggregatedVersion = "v2" | "v2beta1";

/** What a client asks for in `Accept` to be told of all groups, versions and kinds at once. */
export const aggregatedConversions = (["v2", "v2beta1"] as const).map((version) => ({
  group: "apidiscovery.k8s.io",
  version,
  kind: "APIGroupDiscoveryList",
}));

/** Aggregated discovery: at `/api` the core group with all it has, at `/apis` all the others. */
export function aggregatedDiscovery(
  types: readonly ResourceType[],
  root: "api" | "apis",
  version: AggregatedVersion = "v2",
): Document {
  const groups = groupsOf(types).filter(({ name }) => (name === "") === (root === "api"));
  return documentOf(
    {
      kind: "APIGroupDiscoveryList",
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
      items: groups.map(asDiscovery),
    },
    // Clients take any other content type for the plain documents of old.
    `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
  );
}

function asDiscovery({ name, versions }: Group): object {
  return {
    metadata: name === "" ? {} : { name },
    versions: versions.map(({ version, types }) => ({
      version,
      resources: types.map(asResource),
      freshness: "Current",
    })),
  };
}

function asResource(type: ResourceType): object {
  const { group, version, kind, plural, singular, namespaced, verbs, shortNames, categories } = type;
  const subresources = subresourcesOf(type).map((part) => ({
    subresource: part.name,
    responseKind: { group: part.group, version: part.version, kind: part.kind },
    verbs: part.verbs,
  }));
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: [...verbs].sort(),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && { subresources }),
  };
}
