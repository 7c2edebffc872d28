import { plainController, predicates, toIndexed, watch, type Controller, type KubeObject } from "fettle";
import { Cluster, Node } from "./kinds.js";
import type { Machines } from "./machines.js";

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

/** Finalizer that keeps a node until its machine is released, even if the controller is down meanwhile. */
const finalizer = "example.io/machine";

/**
 * Boots the machine of each node with the version of its cluster. A plain controller: it gets a name, reads and writes with the
 * client, and returns when to be called again.
 */
export function nodes(machines: Machines): Controller {
  return plainController({
    for: Node,
    where: predicates.changed.generation,
    // A change of a cluster triggers its nodes, which the index finds.
    indexes: { cluster: ({ metadata, spec }) => [`${metadata.namespace}/${spec.cluster}`] },
    watches: [watch(Cluster, { to: toIndexed("cluster", keyOf), where: predicates.changed.generation })],

    async reconcile({ name, namespace }, { client, read, recordEvent, signal }) {
      const machine = `${namespace}/${name}`;
      const node = await client.find(Node, { name, namespace }, { signal });
      if (node === undefined) return;
      const { deletionTimestamp, finalizers = [], resourceVersion } = node.metadata;
      const setFinalizers = (finalizers: readonly string[]) =>
        client.patch(Node, node, { metadata: { finalizers, resourceVersion } }, { signal });

      if (deletionTimestamp !== undefined) {
        if (!finalizers.includes(finalizer)) return;
        await machines.release(machine, signal);
        await setFinalizers(finalizers.filter((each) => each !== finalizer));
        return;
      }
      const cluster = read(Cluster, node.spec.cluster);
      // A node without its cluster is deleted by the garbage collector.
      if (cluster === undefined) return;
      if (!finalizers.includes(finalizer)) await setFinalizers([...finalizers, finalizer]);

      const { version } = cluster.spec;
      const isUp = await machines.boot(machine, version, signal);
      if (!isUp) return { requeueAfter: "10s" };
      if (node.status?.version === version) return;
      await client.patchStatus(Node, node, { status: { version } }, { signal });
      recordEvent("Booted", `${name} runs ${version}`);
    },
  });
}
