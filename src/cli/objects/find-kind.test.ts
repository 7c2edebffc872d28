import { describe, expect, test } from "vitest";
import type { HttpTransport } from "../../client/transport/http/http-transport.js";
import { findKind, findKinds } from "./find-kind.js";
import { discoverKinds, type ServedKind } from "../server/served-kinds.js";

/** Transport to a server with unaggregated discovery: one document for each group and version. */
function oldServer(documents: Readonly<Record<string, object>>): HttpTransport {
  const document = async (path: string): Promise<object> => documents[path] ?? { kind: "Nothing" };
  return { document } as unknown as HttpTransport;
}

const pods = {
  name: "pods",
  singularName: "pod",
  kind: "Pod",
  namespaced: true,
  verbs: ["list"],
  shortNames: ["po"],
};
const server = oldServer({
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/api/v1": {
    resources: [
      { ...pods, categories: ["all"] },
      { name: "pods/log", singularName: "", kind: "Pod", namespaced: true, verbs: ["get"] },
      {
        name: "nodes",
        singularName: "node",
        kind: "Node",
        namespaced: false,
        verbs: ["list"],
        shortNames: ["no"],
      },
    ],
  },
  "/apis": {
    kind: "APIGroupList",
    groups: [
      {
        name: "metrics.dev",
        versions: [{ version: "v1beta1" }, { version: "v1" }],
        preferredVersion: { version: "v1" },
      },
    ],
  },
  "/apis/metrics.dev/v1": {
    resources: [
      { ...pods, kind: "PodMetrics", singularName: "", shortNames: [] },
      { name: "po", singularName: "", kind: "Po", namespaced: true, verbs: ["list"], categories: ["all"] },
    ],
  },
  "/apis/metrics.dev/v1beta1": {
    resources: [
      { name: "po", singularName: "", kind: "Po", namespaced: true, verbs: ["list"], categories: ["all"] },
    ],
  },
});

const show = ({ apiVersion, kind }: ServedKind): string => `${apiVersion}/${kind}`;

describe("with the documents of old servers", async () => {
  const kinds = await discoverKinds(server);

  test("omits subresources and lists preferred versions first", () => {
    expect(kinds.map(show)).toEqual([
      "v1/Pod",
      "v1/Node",
      "metrics.dev/v1/PodMetrics",
      "metrics.dev/v1/Po",
      "metrics.dev/v1beta1/Po",
    ]);
    expect(kinds[1]).toMatchObject({ plural: "nodes", scope: "Cluster", shortNames: ["no"] });
  });

  test.each([
    ["pods", "v1/Pod"],
    ["POD", "v1/Pod"],
    ["pods.metrics.dev", "metrics.dev/v1/PodMetrics"],
    ["podmetrics", "metrics.dev/v1/PodMetrics"],
    // A full name takes precedence over a short name.
    ["po", "metrics.dev/v1/Po"],
    ["po.v1beta1.metrics.dev", "metrics.dev/v1beta1/Po"],
    ["no", "v1/Node"],
  ])("%s is %s", (word, found) => {
    expect(show(findKind(kinds, word))).toBe(found);
  });

  test("a category stands for its kinds, each in one version", () => {
    expect(findKinds(kinds, "all").map(show)).toEqual(["v1/Pod", "metrics.dev/v1/Po"]);
  });

  test.each([
    ["pdos", 'unknown kind "pdos"; did you mean pods?'],
    // Almost every word is similar to some short name.
    ["pof", 'unknown kind "pof"; did you mean pod?'],
    ["nodes.metrics.dev", "did you mean nodes (node)?"],
    ["zebras", 'unknown kind "zebras"; the server has pods, po, and Kubernetes\' own kinds'],
  ])("%s is an unknown kind", (word, text) => {
    expect(() => findKind(kinds, word)).toThrow(text);
  });
});
