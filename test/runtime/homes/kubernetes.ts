import { createClient } from "../../../src/client/create-client.js";
import type { Client } from "../../../src/client/client.js";
import type { AnyKind } from "../../../src/client/kinds/kind.js";
import {
  ConfigMap,
  CustomResourceDefinition,
  Event,
  Lease,
  Namespace,
  Secret,
} from "../../../src/client/kinds/kubernetes.js";
import { loadConnection } from "../../../src/client/kubeconfig/load-connection.js";
import { httpTransport } from "../../../src/client/transport/http/http-transport.js";
import { customResourceDefinition } from "../../../src/model/index.js";
import { until } from "../until.js";
import type { Home } from "./home.js";
import { endNamespace } from "./namespaces.js";

/**
 * kube-apiserver without kubelet and kube-controller-manager. All tests of a file share one, one after the other; each
 * finds it empty.
 */
export function kubernetesHome(cluster: () => { readonly kubeconfig: string }): Home {
  return {
    name: "on Kubernetes",
    lacks: {
      "garbage collection":
        "kube-controller-manager collects what owners leave behind, and only kube-apiserver runs",
    },
    async open(kinds) {
      const connection = await loadConnection({ kubeconfig: cluster().kubeconfig });
      const transport = httpTransport({ connection, rate: false });
      const wanted = kinds.map((kind) => customResourceDefinition(kind).metadata.name);
      await empty(createClient({ transport }), wanted);
      return { transport, async [Symbol.asyncDispose]() {} };
    },
  };
}

/** Deletes the objects of earlier tests, and all definitions except the wanted ones. */
async function empty(client: Client, wanted: readonly string[]): Promise<void> {
  for (const definition of (await client.list(CustomResourceDefinition)).items) {
    const { name = "" } = definition.metadata;
    const { group, names, versions } = definition.spec;
    const version = versions.find(({ storage }) => storage)?.name;
    await deleteObjects(client, { apiVersion: `${group}/${version}`, kind: names.kind });
    if (wanted.includes(name)) continue;
    await client.delete(CustomResourceDefinition, name);
    await until(client, CustomResourceDefinition, name, (found) => found === undefined);
  }
  for (const kind of [ConfigMap, Secret, Event, Lease]) await deleteObjects(client, kind);
  for (const { metadata } of (await client.list(Namespace)).items) {
    const { name = "" } = metadata;
    if (/^default$|^kube-/.test(name)) continue;
    const ending = await client.delete(Namespace, name);
    if (ending !== undefined) await endNamespace(client, ending);
  }
}

async function deleteObjects(client: Client, kind: AnyKind): Promise<void> {
  for (const { metadata } of (await client.list(kind)).items) {
    const { name = "", namespace = "" } = metadata;
    if (namespace.startsWith("kube-")) continue;
    const which = { name, namespace };
    await client.delete(kind, which);
    if (metadata.finalizers?.length) await client.patch(kind, which, { metadata: { finalizers: null } });
  }
}
