import { controller } from "fettle";
import { Cluster, Node } from "./kinds.js";

/** Creates the nodes of a cluster. Declarative: it names the nodes that should exist, and the runtime writes them. */
export const clusters = controller({
  for: Cluster,
  owns: [Node],
  reconcile(cluster, { ensure, report, ready, wait }) {
    const { version, nodes } = cluster.spec;
    const found = nodes.map((node) => ensure(Node, `${cluster.name}-${node}`, { cluster: cluster.name }));
    const up = found.filter((node) => node?.status?.version === version).length;
    report({ up });
    if (up < nodes.length) return wait("NodesBooting", `${up} of ${nodes.length} nodes run ${version}`);
    ready("NodesUp", `all nodes run ${version}`);
  },
});
