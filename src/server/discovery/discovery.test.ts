import { definedCapabilities, resourceType, typedCapabilities } from "../resources/fixtures/resource-type.js";
import { describe, expect, it } from "vitest";
import type { ResourceType } from "../resources/resource-type.js";
import { aggregatedConversions, aggregatedDiscovery } from "./aggregated.js";
import type { Document } from "./document.js";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./resource-lists.js";

function type(values: Parameters<typeof resourceType>[0]): ResourceType {
  const { group = "" } = values;
  const isTyped = group === "" || group.endsWith(".k8s.io");
  return isTyped
    ? resourceType({ verbs: ["create", "get", "list"], ...values, capabilities: typedCapabilities })
    : resourceType({ ...values, capabilities: definedCapabilities });
}

const types = [
  type({ kind: "Lease", plural: "leases", group: "coordination.k8s.io" }),
  type({
    kind: "Namespace",
    plural: "namespaces",
    namespaced: false,
    shortNames: ["ns"],
    subresources: { status: true, finalize: true },
  }),
  type({ kind: "ConfigMap", plural: "configmaps" }),
  type({ kind: "Zebra", plural: "zebras", group: "zoo.dev", version: "v1beta1" }),
  type({ kind: "Zebra", plural: "zebras", group: "zoo.dev", version: "v1" }),
  type({
    kind: "Widget",
    plural: "widgets",
    group: "demo.dev",
    shortNames: ["wd"],
    categories: ["all"],
    subresources: {
      status: true,
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    },
  }),
];

// oxlint-disable-next-line typescript/no-explicit-any -- documents are looked at, not used
function read(document: Document | undefined): any {
  return JSON.parse(document?.body ?? "null");
}

describe("plain discovery", () => {
  it("names the versions of the core group", () => {
    expect(read(apiVersions(types, "127.0.0.1:6443"))).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1:6443" }],
    });
    expect(read(apiVersions([]))).toMatchObject({ versions: ["v1"], serverAddressByClientCIDRs: [] });
  });

  it("lists built-in groups first and the others by name, each with its preferred version", () => {
    const { groups, ...rest } = read(apiGroupList(types));
    expect(rest).toEqual({ kind: "APIGroupList", apiVersion: "v1" });
    expect(groups.map(({ name }: { name: string }) => name)).toEqual([
      "coordination.k8s.io",
      "demo.dev",
      "zoo.dev",
    ]);
    expect(groups[2]).toEqual({
      name: "zoo.dev",
      versions: [
        { groupVersion: "zoo.dev/v1", version: "v1" },
        { groupVersion: "zoo.dev/v1beta1", version: "v1beta1" },
      ],
      preferredVersion: { groupVersion: "zoo.dev/v1", version: "v1" },
    });
    expect(read(apiGroup(types, "zoo.dev"))).toEqual({ kind: "APIGroup", apiVersion: "v1", ...groups[2] });
  });

  it("has no document for a group or version without kinds", () => {
    expect(apiGroup(types, "nobody.dev")).toBeUndefined();
    expect(apiGroup(types, "")).toBeUndefined();
    expect(apiResourceList(types, "demo.dev", "v2")).toBeUndefined();
    expect(apiResourceList(types, "", "v2")).toBeUndefined();
    expect(read(apiResourceList([], "", "v1"))).toMatchObject({ groupVersion: "v1", resources: [] });
  });

  it("lists the kinds of the core group", () => {
    expect(read(apiResourceList(types, "", "v1"))).toEqual({
      kind: "APIResourceList",
      groupVersion: "v1",
      resources: [
        {
          name: "configmaps",
          singularName: "configmap",
          namespaced: true,
          kind: "ConfigMap",
          verbs: ["create", "get", "list"],
          storageVersionHash: "qFsyl6wFWjQ=",
        },
        {
          name: "namespaces",
          singularName: "namespace",
          namespaced: false,
          kind: "Namespace",
          verbs: ["create", "get", "list"],
          shortNames: ["ns"],
          storageVersionHash: "Q3oi5N2YM8M=",
        },
        {
          name: "namespaces/finalize",
          singularName: "",
          namespaced: false,
          kind: "Namespace",
          verbs: ["update"],
        },
        {
          name: "namespaces/status",
          singularName: "",
          namespaced: false,
          kind: "Namespace",
          verbs: ["get", "patch", "update"],
        },
      ],
    });
  });

  it("lists subresources with their kind", () => {
    const { resources, ...rest } = read(apiResourceList(types, "demo.dev", "v1"));
    expect(rest).toEqual({ kind: "APIResourceList", apiVersion: "v1", groupVersion: "demo.dev/v1" });
    expect(resources[0]).toMatchObject({ name: "widgets", shortNames: ["wd"], categories: ["all"] });
    expect(resources[1]).toEqual({
      name: "widgets/scale",
      singularName: "",
      namespaced: true,
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
      verbs: ["get", "patch", "update"],
    });
    expect(resources[2]).toMatchObject({ name: "widgets/status", kind: "Widget" });
  });

  it("has the same storage version hash in all versions", () => {
    const hashOf = (version: string) =>
      read(apiResourceList(types, "zoo.dev", version)).resources[0].storageVersionHash;
    expect(hashOf("v1beta1")).toBe(hashOf("v1"));
  });
});

describe("aggregated discovery", () => {
  it("has the core group at /api", () => {
    const document = aggregatedDiscovery(types, "api");
    expect(document.contentType).toBe("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    expect(read(document)).toMatchObject({
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
      items: [
        {
          metadata: {},
          versions: [
            {
              version: "v1",
              freshness: "Current",
              resources: [
                { resource: "configmaps", scope: "Namespaced" },
                { resource: "namespaces", scope: "Cluster", subresources: [{}, {}] },
              ],
            },
          ],
        },
      ],
    });
  });

  it("has all other groups at /apis", () => {
    const { items } = read(aggregatedDiscovery(types, "apis", "v2beta1"));
    expect(items).toHaveLength(3);
    expect(items[1]).toEqual({
      metadata: { name: "demo.dev" },
      versions: [
        {
          version: "v1",
          resources: [
            {
              resource: "widgets",
              responseKind: { group: "demo.dev", version: "v1", kind: "Widget" },
              scope: "Namespaced",
              singularResource: "widget",
              verbs: ["get", "list", "create"],
              shortNames: ["wd"],
              categories: ["all"],
              subresources: [
                {
                  subresource: "scale",
                  responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
                  verbs: ["get", "patch", "update"],
                },
                {
                  subresource: "status",
                  responseKind: { group: "demo.dev", version: "v1", kind: "Widget" },
                  verbs: ["get", "patch", "update"],
                },
              ],
            },
          ],
          freshness: "Current",
        },
      ],
    });
  });

  it("has a hash that depends on the content only", () => {
    const document = aggregatedDiscovery(types, "apis");
    expect(document.hash).toMatch(/^[0-9A-F]{64}$/);
    expect(aggregatedDiscovery([...types].reverse(), "apis").hash).toBe(document.hash);
    expect(aggregatedDiscovery(types.slice(1), "apis").hash).not.toBe(document.hash);
  });

  it("is available as v2 and v2beta1", () => {
    expect(aggregatedConversions.map(({ version }) => version)).toEqual(["v2", "v2beta1"]);
  });
});
