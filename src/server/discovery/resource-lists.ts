import { createHash } from "node:crypto";
import { parseApiVersion } from "../../model/core.js";
import { apiVersionOf, type ResourceType } from "../resources/resource-type.js";
import { discoveryDocument, type Document } from "./document.js";
import { findGroup, findGroupVersion, groupsOf, type Group } from "./groups.js";
import { subresourcesOf } from "../resources/subresources.js";

/**
 * `/api`: the versions of the core group.
 *
 * @param serverAddress `host:port` at which clients reach this server, if that is known.
 */
export function apiVersions(types: readonly ResourceType[], serverAddress?: string): Document {
  return discoveryDocument({
    kind: "APIVersions",
    versions: findGroup(types, "")?.versions.map(({ version }) => version),
    serverAddressByClientCIDRs:
      serverAddress === undefined ? [] : [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  });
}

/** `/apis`: every group but the core group. */
export function apiGroupList(types: readonly ResourceType[]): Document {
  const groups = groupsOf(types).filter(({ name }) => name !== "");
  return discoveryDocument({ kind: "APIGroupList", apiVersion: "v1", groups: groups.map(asApiGroup) });
}

/** `/apis/GROUP`; undefined when there is no such group. */
export function apiGroup(types: readonly ResourceType[], name: string): Document | undefined {
  const group = name === "" ? undefined : findGroup(types, name);
  return group && discoveryDocument({ kind: "APIGroup", apiVersion: "v1", ...asApiGroup(group) });
}

/** `/api/v1` and `/apis/GROUP/VERSION`; undefined when there is no such version. */
export function apiResourceList(
  types: readonly ResourceType[],
  group: string,
  version: string,
): Document | undefined {
  const served = findGroupVersion(types, group, version);
  return (
    served &&
    discoveryDocument({
      kind: "APIResourceList",
      // Kubernetes leaves it out for the core group, as its first releases did.
      ...(group !== "" && { apiVersion: "v1" }),
      groupVersion: apiVersionOf({ group, version }),
      resources: served.flatMap(asApiResources),
    })
  );
}

function asApiGroup({ name, versions }: Group): object {
  const served = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: served, preferredVersion: served[0] };
}

function asApiResources(type: ResourceType): object[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = type;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(type.answer === undefined && { storageVersionHash: storageVersionHash(type) }),
  };
  const parts = subresourcesOf(type).map((part) => {
    const asOwn = {
      name: `${plural}/${part.name}`,
      singularName: "",
      namespaced,
      kind: part.kind,
      verbs: part.verbs,
    };
    // Group and version are given only where they differ from those of the list.
    return part.group === type.group
      ? asOwn
      : Object.assign(asOwn, { group: part.group, version: part.version });
  });
  return [main, ...parts];
}

/** Hash of the storage version; a change means that stored objects need migration. */
function storageVersionHash({ storage }: ResourceType): string {
  const { group, version } = parseApiVersion(storage.apiVersion) ?? { group: "", version: "" };
  const hash = createHash("sha256").update(`${group}/${version}/${storage.kind}`).digest();
  return hash.subarray(0, 8).toString("base64");
}
