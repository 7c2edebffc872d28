import { median } from "../report.js";
import type { Target } from "../server-target.js";
import { startCluster, usageOf } from "./cluster.js";

const restarts = 2;

/** kube-apiserver with its etcd as a server to measure. */
export async function startKubeTarget(directory: string): Promise<Target> {
  const cluster = await startCluster(directory);
  const endpoint = { port: Number(new URL(cluster.url).port), ca: cluster.ca };
  const { etcd, token } = cluster;
  return {
    name: "kube-apiserver",
    endpoint,
    token,
    async usage() {
      const apiserver = usageOf(cluster.pid);
      const store = usageOf(etcd.pid);
      return {
        rss: apiserver.rss + store.rss,
        part: apiserver.rss,
        processorTime: apiserver.processorTime + store.processorTime,
      };
    },
    async restart() {
      const all: number[] = [];
      const apiserver: number[] = [];
      for (let time = 0; time < restarts; time++) {
        await cluster.halt();
        await etcd.halt();
        const begin = performance.now();
        await etcd.start();
        const stored = performance.now();
        await cluster.start();
        all.push(performance.now() - begin);
        apiserver.push(performance.now() - stored);
      }
      return { all: median(all), parts: { "kube-apiserver alone": median(apiserver) } };
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
