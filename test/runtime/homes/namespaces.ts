import type { Client } from "../../../src/client/client.js";
import type { ObjectOf } from "../../../src/client/kinds/kind.js";
import {
  ConfigMap,
  Deployment,
  Event,
  Namespace,
  NetworkPolicy,
  Secret,
  Service,
  StatefulSet,
} from "../../../src/client/kinds/kubernetes.js";
import { follow } from "../until.js";

/** Kinds that tests create in namespaces. */
const kinds = [ConfigMap, Deployment, Event, NetworkPolicy, Secret, Service, StatefulSet];

/** Empties a deleted namespace and removes its finalizer, as kube-controller-manager would, which does not run here. */
export async function endNamespace(client: Client, namespace: ObjectOf<typeof Namespace>): Promise<void> {
  const { name = "" } = namespace.metadata;
  for (const kind of kinds) await client.deleteAll(kind, { namespace: name });
  // The finalize subresource, which only that controller writes.
  const subresource = "finalize" as never;
  await client.update({ ...namespace, spec: { finalizers: [] } }, { subresource });
}

/** Does so for every deleted namespace, until the signal aborts. */
export async function endNamespaces(client: Client, signal: AbortSignal): Promise<void> {
  for await (const { object, gone } of follow(client, Namespace, { signal })) {
    if (gone || object.metadata.deletionTimestamp === undefined) continue;
    if (object.spec?.finalizers?.length) await endNamespace(client, object);
  }
}
