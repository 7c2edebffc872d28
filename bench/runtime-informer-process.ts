import { CustomObjectsApi, KubeConfig, makeInformer, type KubernetesObject } from "@kubernetes/client-node";
import { createInformers, withoutManagedFields } from "fettle/client";
import { clientOf, type Address } from "./runtime-client.js";
import { Widget } from "./runtime-widgets.js";

/**
 * One informer alone in a process, so that its memory can be measured. Both libraries are loaded in either case, before the
 * measurement.
 */
export interface InformerTask {
  readonly informer: "fettle" | "fettle without managedFields" | "client-node";
  readonly address: Address;
  readonly namespace: string;
  readonly objects: number;
}

export interface InformerMemory {
  /** Bytes that the informer retains per object. */
  readonly perObject: number;
  /** Bytes of one object in the JSON that the server sends. */
  readonly json: number;
}

process.once("message", (task: InformerTask) => {
  void measure(task).then((result) => process.send?.(result));
});

async function measure(task: InformerTask): Promise<InformerMemory> {
  const { address, namespace, objects } = task;
  const json = await jsonSize(task);
  const before = await settledMemory();
  const informer = await (task.informer === "client-node"
    ? clientNode(address, namespace)
    : fettle(address, namespace, task.informer !== "fettle"));
  while (informer.size() < objects) await pause(20);
  const after = await settledMemory();
  if (informer.size() !== objects)
    throw new Error(`the informer holds ${informer.size()} of ${objects} objects`);
  return { perObject: (after - before) / objects, json };
}

async function fettle(address: Address, namespace: string, slim: boolean) {
  const client = clientOf(address);
  const informers = createInformers({ transport: client.transport, resolve: (kind) => client.kind(kind) });
  const informer = await informers.open(Widget, {
    namespace,
    ...(slim && { transform: withoutManagedFields }),
  });
  let events = 0;
  informer.subscribe(() => events++);
  await informer.ready();
  return { size: () => Math.min(events, informer.size) };
}

async function clientNode({ port, token }: Address, namespace: string) {
  const config = new KubeConfig();
  const cluster = { name: "bench", server: `http://127.0.0.1:${port}`, skipTLSVerify: true };
  config.loadFromClusterAndUser(cluster, { name: "bench", token });
  const api = config.makeApiClient(CustomObjectsApi);
  const [group = "", version = ""] = Widget.apiVersion.split("/");
  const { plural } = Widget;
  const list = () => api.listNamespacedCustomObject({ group, version, namespace, plural });
  const path = `/apis/${Widget.apiVersion}/namespaces/${namespace}/${plural}`;
  const informer = makeInformer<KubernetesObject>(config, path, list);
  let events = 0;
  informer.on("add", () => events++);
  informer.on("error", (error: unknown) => {
    throw error;
  });
  await informer.start();
  return { size: () => Math.min(events, informer.list().length) };
}

/** Average of 100 objects; a full list would leave garbage behind that distorts the measurement. */
async function jsonSize({ address, namespace }: InformerTask): Promise<number> {
  await using client = clientOf(address);
  const { items } = await client.list(Widget, { namespace, limit: 100 });
  const bytes = items.map((item) => Buffer.byteLength(JSON.stringify(item)));
  return bytes.reduce((sum, each) => sum + each, 0) / bytes.length;
}

/** Bytes in use after garbage collection: heap and external buffers. */
async function settledMemory(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("start this process with --expose-gc");
  for (let time = 0; time < 4; time++) {
    gc();
    await pause(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
