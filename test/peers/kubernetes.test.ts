import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../src/client/create-client.js";
import { loadConnection } from "../../src/client/kubeconfig/load-connection.js";
import { ConfigMap, Deployment } from "../../src/client/kinds/kubernetes.js";
import { httpTransport } from "../../src/client/transport/http/http-transport.js";
import { controlPlane } from "../../src/plane/control-plane.js";
import type { MergePolicy } from "../../src/plane/peers/peer-options.js";
import { describeWith, kubernetes } from "../components/index.js";
import { until } from "./until.js";

describeWith("peers on Kubernetes", kubernetes, (get) => {
  test.each<MergePolicy>(["newest-wins", "source-wins", "field-managers"])(
    "pulls objects of a cluster with %s, and becomes quiet",
    async (merge) => {
      const { kubeconfig } = get();
      const connection = await loadConnection({ kubeconfig });
      await using cluster = createClient({ transport: httpTransport({ connection }) });
      const namespace = `peers-${merge}`;
      await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const plane = await controlPlane({
        store: "memory",
        listen: { port: 0 },
        peers: {
          peers: [
            { name: "cluster", kubeconfig, kinds: [ConfigMap, Deployment], namespaces: [namespace], merge },
          ],
          syncInterval: "1s",
        },
      });
      onTestFinished(() => plane.stop());
      await cluster.create(ConfigMap, { metadata: { name: "x", namespace }, data: { value: "1" } });
      const container = { name: "web", image: "nginx", ports: [{ containerPort: 80 }] };
      const labels = { app: "web" };
      await cluster.create(Deployment, {
        metadata: { name: "web", namespace },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container] } },
        },
      });
      const at = { name: "web", namespace };
      const copy = await until(() => plane.client.find(Deployment, at));
      expect(copy.spec).toEqual((await cluster.get(Deployment, at)).spec);
      await cluster.patch(ConfigMap, { name: "x", namespace }, { data: { value: "2" } });
      await until(
        async () => (await plane.client.find(ConfigMap, { name: "x", namespace }))?.data?.["value"] === "2",
      );
      await until(() => plane.peers?.states()[0]?.state === "synced");
      const revision = (await plane.client.get(Deployment, at)).metadata.resourceVersion;
      const last = plane.peers?.states()[0]?.lastSync ?? 0;
      await until(() => (plane.peers?.states()[0]?.lastSync ?? 0) > last);
      expect((await plane.client.get(Deployment, at)).metadata.resourceVersion).toBe(revision);
      expect(plane.peers?.states()[0]?.recentConflicts).toEqual([]);
      await cluster.delete(Deployment, at);
      await until(async () => (await plane.client.find(Deployment, at)) === undefined);
    },
  );
});
