import type { ResourceType } from "../resources/resource-type.js";
import { discoveryDocument, type Document } from "./document.js";
import { groupsOf, type Group } from "./groups.js";
import { subresourcesOf } from "../resources/subresources.js";

/** kubectl up to 1.29 requests v2beta1, later ones v2. They differ only in name. */
export type AggregatedVersion = "v2" | "v2beta1";

/** Media type by which clients request aggregated discovery. */
export const aggregatedConversions = (["v2", "v2beta1"] as const).map((version) => ({
  group: "apidiscovery.k8s.io",
  version,
  kind: "APIGroupDiscoveryList",
}));

/** Aggregated discovery: the core group at `/api`, all other groups at `/apis`. */
export function aggregatedDiscovery(
  types: readonly ResourceType[],
  root: "api" | "apis",
  version: AggregatedVersion = "v2",
): Document {
  const groups = groupsOf(types).filter(({ name }) => (name === "") === (root === "api"));
  return discoveryDocument(
    {
      kind: "APIGroupDiscoveryList",
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
      items: groups.map(asDiscovery),
    },
    // Clients treat any other content type as unaggregated discovery.
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
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && { subresources }),
  };
}
