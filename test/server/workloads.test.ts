import {
  AppsV1Api,
  BatchV1Api,
  NetworkingV1Api,
  PatchStrategy,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWith, kubectl, type Kubectl } from "../components/index.js";
import { clientsFor, failureOf } from "./client-node/clients.js";
import { KubectlRunner } from "./kubectl-runner.js";
import { startTestServer, type TestServer } from "./test-server.js";

/** Application as a chart would install it. */
const app = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: shop }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: shop }
data: { greeting: hello }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: shop }
rules: [{ apiGroups: [""], resources: [configmaps], verbs: [get, watch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: shop }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: shop }
subjects: [{ kind: ServiceAccount, name: shop }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop, labels: { app: shop } }
spec:
  replicas: 2
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec:
      serviceAccountName: shop
      containers:
        - name: web
          image: shop:1.0
          ports: [{ name: http, containerPort: 8080 }]
          env: [{ name: GREETING, valueFrom: { configMapKeyRef: { name: shop, key: greeting } } }]
          resources: { limits: { memory: 1024Mi, cpu: "0.5" } }
          readinessProbe: { httpGet: { port: http } }
          volumeMounts: [{ name: settings, mountPath: /settings }]
        - name: log
          image: log
      volumes: [{ name: settings, configMap: { name: shop } }]
---
apiVersion: v1
kind: Service
metadata: { name: shop }
spec:
  selector: { app: shop }
  ports: [{ name: http, port: 80, targetPort: http }]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: shop }
spec:
  rules:
    - host: shop.example.com
      http:
        paths:
          - { path: /, pathType: Prefix, backend: { service: { name: shop, port: { name: http } } } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: shop }
spec: { minAvailable: 1, selector: { matchLabels: { app: shop } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: shop }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }, maxReplicas: 5 }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: shop }
spec: { podSelector: { matchLabels: { app: shop } }, egress: [{}] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  serviceName: db
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec:
      containers: [{ name: db, image: "db:2", volumeMounts: [{ name: data, mountPath: /data }] }]
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: backup }
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec: { template: { spec: { restartPolicy: Never, containers: [{ name: backup, image: "db:2" }] } } }
`;

describeWith("kubectl with workloads", kubectl, async () => {
  // Older versions use APIs of these kinds that no longer exist.
  const known = (await kubectl.versions()).filter(({ version }) => Number(version.split(".")[1]) >= 27);
  describe.skipIf(known.length === 0)("1.27 or newer", () => {
    installs(known.at(-1));
  });
});

function installs(version: Kubectl | undefined): void {
  let server: TestServer;
  let k: KubectlRunner;
  const run = (...args: string[]): Promise<string> => k.run(args);
  const pipe = (input: string, ...args: string[]): Promise<string> => k.run(args, { input });
  const json = async (...args: string[]) => JSON.parse(await run("get", "-o", "json", ...args));

  const versionsOf = (kinds: string): Promise<string> =>
    run(
      "get",
      kinds,
      "-o",
      "jsonpath={range .items[*]}{.kind}/{.metadata.name}={.metadata.resourceVersion} {end}",
    );

  beforeAll(async () => {
    if (version === undefined) throw new Error("there is no kubectl to install with");
    server = await startTestServer();
    k = new KubectlRunner(version, server.kubeconfig);
    await pipe(app, "apply", "-f", "-");
  });
  afterAll(async () => {
    k?.dispose();
    await server?.close();
    expect(server?.errors).toEqual([]);
  });

  test("applies an application, and changes nothing the second time", async () => {
    const versions = await versionsOf("all,pdb,netpol,ing,roles,rolebindings");
    const again = (await pipe(app, "apply", "-f", "-")).trim().split("\n");
    expect(again).toHaveLength(12);
    // kubectl considers these changed on any server: it compares quantities as strings, and claims and selectors as a
    // whole.
    expect(again.filter((line) => !line.endsWith(" unchanged"))).toEqual([
      "deployment.apps/shop configured",
      "poddisruptionbudget.policy/shop configured",
      "statefulset.apps/db configured",
    ]);
    expect(await versionsOf("all,pdb,netpol,ing,roles,rolebindings")).toBe(versions);
    expect((await k.attempt(["diff", "-f", "-"], { input: app })).out).toBe("");
  });

  test("applies an application and fills in its defaults", async () => {
    const { metadata, spec } = await json("deployment", "shop");
    expect(metadata.generation).toBe(1);
    expect(spec).toMatchObject({
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
    });
    expect(spec.template.spec).toMatchObject({
      dnsPolicy: "ClusterFirst",
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: {},
      serviceAccount: "shop",
      serviceAccountName: "shop",
      terminationGracePeriodSeconds: 30,
      volumes: [{ name: "settings", configMap: { name: "shop", defaultMode: 420 } }],
      containers: [
        {
          imagePullPolicy: "IfNotPresent",
          ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
          resources: { limits: { cpu: "500m", memory: "1Gi" } },
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          readinessProbe: {
            httpGet: { path: "/", port: "http", scheme: "HTTP" },
            failureThreshold: 3,
            periodSeconds: 10,
            successThreshold: 1,
            timeoutSeconds: 1,
          },
        },
        { imagePullPolicy: "Always", resources: {} },
      ],
    });
    const { clusterIP, ...service } = (await json("service", "shop")).spec;
    expect(clusterIP).toMatch(/^10\.96\./);
    expect(service).toEqual({
      clusterIPs: [clusterIP],
      internalTrafficPolicy: "Cluster",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: "http" }],
      selector: { app: "shop" },
      sessionAffinity: "None",
      type: "ClusterIP",
    });
    expect((await json("statefulset", "db")).spec).toMatchObject({
      replicas: 1,
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      volumeClaimTemplates: [{ kind: "PersistentVolumeClaim", spec: { volumeMode: "Filesystem" } }],
    });
    expect((await json("cronjob", "backup")).spec).toMatchObject({
      concurrencyPolicy: "Allow",
      suspend: false,
    });
    expect((await json("networkpolicy", "shop")).spec.policyTypes).toEqual(["Ingress", "Egress"]);
    expect((await json("hpa", "shop")).spec).toMatchObject({
      minReplicas: 1,
      metrics: [{ type: "Resource" }],
    });
  });

  test("get all, and tables of the common kinds", async () => {
    const all = await run("get", "all");
    for (const name of [
      "service/shop",
      "deployment.apps/shop",
      "statefulset.apps/db",
      "cronjob.batch/backup",
      "horizontalpodautoscaler.autoscaling/shop",
    ]) {
      expect(all).toContain(name);
    }
    expect(await run("get", "deploy")).toMatch(
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nshop +0\/2 +0 +0 +\d+m?s\n$/,
    );
    expect(await run("get", "deploy", "-o", "wide")).toMatch(/web,log +shop:1\.0,log +app=shop$/m);
    expect(await run("get", "svc")).toMatch(/^shop +ClusterIP +10\.96\.[\d.]+ +<none> +80\/TCP +\d+m?s$/m);
    expect(await run("get", "sts")).toMatch(/^db +0\/1 +\d+m?s$/m);
    expect(await run("get", "ing")).toMatch(/^shop +<none> +shop\.example\.com +80 +\d+m?s$/m);
    expect(await run("get", "netpol")).toMatch(/^shop +app=shop +\d+m?s$/m);
    expect(await run("get", "pdb")).toMatch(/^shop +1 +N\/A +0 +\d+m?s$/m);
    expect(await run("get", "cj")).toMatch(/^backup +0 3 \* \* \* +<none> +False +0 +<none> +\d+m?s$/m);
    expect(await run("get", "hpa")).toMatch(
      /^shop +Deployment\/shop +cpu: <unknown>\/80% +1 +5 +0 +\d+m?s$/m,
    );
    expect(await run("get", "rolebindings", "-o", "wide")).toMatch(/^shop +Role\/shop +\d+m?s +\/shop$/m);
    expect(await run("describe", "deployment", "shop")).toMatch(/Image: +shop:1\.0/);
    expect(await run("explain", "pod.spec.containers.imagePullPolicy")).toMatch(
      /Always, Never or IfNotPresent/,
    );
  });

  test("a patch of one container among several", async () => {
    await run("set", "image", "deployment/shop", "web=shop:1.1");
    const patch = { spec: { template: { spec: { containers: [{ name: "log", image: "log:2" }] } } } };
    await run("patch", "deployment", "shop", "-p", JSON.stringify(patch));
    const { metadata, spec } = await json("deployment", "shop");
    const images = spec.template.spec.containers.map(({ image }: { image: string }) => image);
    expect(images).toEqual(["shop:1.1", "log:2"]);
    expect(metadata.generation).toBe(3);
    // The applied fields win over the patched ones.
    await pipe(app, "apply", "-f", "-");
    const after = await json("deployment", "shop");
    expect(after.spec.template.spec.containers[0].image).toBe("shop:1.0");
  });

  test("scale, autoscale's targets and rollout restart", async () => {
    await run("scale", "deployment/shop", "--replicas=4");
    await run("scale", "statefulset/db", "--replicas=3");
    expect((await json("deployment", "shop")).spec.replicas).toBe(4);
    expect(await run("get", "sts", "db", "--no-headers")).toMatch(/^db +0\/3/);
    await run("rollout", "restart", "deployment/shop");
    const { annotations } = (await json("deployment", "shop")).spec.template.metadata;
    expect(annotations).toHaveProperty(["kubectl.kubernetes.io/restartedAt"]);
    await run("rollout", "pause", "deployment/shop");
    expect((await json("deployment", "shop")).spec.paused).toBe(true);
  });

  test("objects that kubectl create generates, some as protobuf", async () => {
    await run("create", "namespace", "made");
    const make = (...args: string[]): Promise<string> => run("-n", "made", ...args);
    await make("create", "deployment", "web", "--image=web:1", "--replicas=3", "--port=80");
    await make("expose", "deployment", "web", "--port=80", "--target-port=8080");
    await make("create", "service", "nodeport", "door", "--tcp=80:8080", "--node-port=30080");
    await make("create", "job", "once", "--image=busybox", "--", "true");
    await make("create", "cronjob", "often", "--image=busybox", "--schedule=*/5 * * * *", "--", "true");
    await make("create", "job", "now", "--from=cronjob/often");
    await make("run", "shell", "--image=busybox", "--labels=a=b", "--", "sleep", "9");
    await make("create", "ingress", "web", "--rule=web.dev/*=web:80");
    await make("create", "role", "reader", "--verb=get", "--resource=pods,deployments.apps");
    await make("create", "rolebinding", "reader", "--role=reader", "--user=jane");
    await run("create", "clusterrole", "lister", "--verb=list", "--resource=nodes");
    await run("create", "clusterrolebinding", "lister", "--clusterrole=lister", "--group=all");
    await make("create", "poddisruptionbudget", "web", "--selector=app=web", "--min-available=50%");
    await make("create", "quota", "small", "--hard=pods=3,cpu=1000m");
    await run("create", "priorityclass", "high", "--value=1000");
    expect((await json("-n", "made", "pod", "shell")).status).toEqual({
      phase: "Pending",
      qosClass: "BestEffort",
    });
    expect(await make("get", "pods", "-o", "wide")).toMatch(
      /^shell +0\/1 +Pending +0 +\d+m?s +<none> +<none> +<none> +<none>$/m,
    );
    const { metadata, spec } = await json("-n", "made", "job", "once");
    expect(spec).toMatchObject({
      backoffLimit: 6,
      completions: 1,
      parallelism: 1,
      completionMode: "NonIndexed",
    });
    expect(spec.selector.matchLabels).toEqual({ "batch.kubernetes.io/controller-uid": metadata.uid });
    expect(await make("get", "jobs", "once", "--no-headers")).toMatch(/^once +Running +0\/1 /);
    expect((await json("-n", "made", "job", "now")).metadata.ownerReferences[0].kind).toBe("CronJob");
    expect((await json("-n", "made", "service", "web")).spec.ports).toEqual([
      { port: 80, protocol: "TCP", targetPort: 8080 },
    ]);
    expect((await json("-n", "made", "quota", "small")).spec.hard).toEqual({ cpu: "1", pods: "3" });
    expect(await run("get", "pc", "high", "--no-headers")).toMatch(/^high +1000 +false +\d+m?s/);
    await run("delete", "namespace", "made");
    expect((await k.attempt(["get", "-n", "made", "pods"])).err).toContain("No resources found");
  });

  test("warns that nothing runs pods, and says so to whoever connects to one", async () => {
    const created = await k.attempt(["run", "idle", "--image=busybox"]);
    expect(created).toMatchObject({ code: 0, out: "pod/idle created\n" });
    expect(created.err).toContain("Warning: nothing here runs pods");
    const { err } = await k.attempt(["create", "deployment", "idle", "--image=busybox"]);
    expect(err).toContain("Warning: nothing here runs pods: this Deployment is stored");
    expect((await k.attempt(["label", "pod", "idle", "a=b"])).err).toBe("");
    const refusal = async (...args: string[]): Promise<string> => (await k.attempt(args)).err;
    expect(await refusal("logs", "idle")).toContain(
      'no pods run here: "idle" is stored only, so there are no logs',
    );
    expect(await refusal("exec", "idle", "--", "ls")).toContain("no pods run here");
    expect(await refusal("attach", "idle")).toContain("no pods run here");
    const status = '{"status":{"phase":"Running"}}';
    await run("patch", "pod", "idle", "--subresource=status", "--type=merge", "-p", status);
    const forwarding = await k.attempt(["get", "--raw", "/api/v1/namespaces/default/pods/idle/portforward"]);
    expect(forwarding.err).toContain("no pods run here");
    await run("delete", "deployment/idle", "pod/idle");
  });

  test("answers who the user is and what they may do", async () => {
    expect(await run("auth", "can-i", "create", "pods")).toBe("yes\n");
    expect(await run("auth", "can-i", "get", "/metrics")).toBe("yes\n");
    expect(await run("auth", "can-i", "--list")).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
    expect(await run("auth", "whoami")).toMatch(/^Username +fettle-admin$/m);
  });

  test("deletes pods at once, and dependents with their owners", async () => {
    await run("run", "gone", "--image=busybox");
    await run("delete", "pod", "gone", "--timeout=10s");
    const owner = await json("deployment", "shop");
    const set = {
      ...owner,
      kind: "ReplicaSet",
      metadata: {
        name: "shop-1",
        labels: { app: "shop" },
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "Deployment", name: "shop", uid: owner.metadata.uid },
        ],
      },
      spec: { replicas: 1, selector: owner.spec.selector, template: owner.spec.template },
    };
    await pipe(JSON.stringify(set), "create", "-f", "-");
    expect(await run("get", "rs")).toMatch(/^shop-1 +1 +0 +0 +\d+m?s$/m);
    await run("delete", "deployment", "shop", "--cascade=foreground", "--timeout=20s");
    expect((await k.attempt(["get", "rs", "shop-1"])).err).toContain("not found");
  });

  test("refuses invalid objects with Kubernetes' messages", async () => {
    const refused = async (manifest: object, ...args: string[]): Promise<string> => {
      const { code, err } = await k.attempt(["create", "-f", "-", ...args], {
        input: JSON.stringify(manifest),
      });
      expect(code).toBe(1);
      return err;
    };
    const metadata = { name: "bad" };
    const template = {
      metadata: { labels: { app: "b" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    expect(
      await refused({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata,
        spec: { selector: { matchLabels: { app: "a" } }, template },
      }),
    ).toContain(
      'spec.template.metadata.labels: Invalid value: {"app":"b"}: `selector` does not match template `labels`',
    );
    const pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [{ name: "A_b" }] } };
    const words = await refused(pod);
    expect(words).toContain('* spec.containers[0].name: Invalid value: "A_b"');
    expect(words).toContain("* spec.containers[0].image: Required value");
    expect(await refused({ apiVersion: "v1", kind: "Service", metadata, spec: {} })).toContain(
      "spec.ports: Required value",
    );
    const { err } = await k.attempt(["patch", "sts", "db", "-p", '{"spec":{"serviceName":"other"}}']);
    expect(err).toContain("spec: Forbidden: updates to statefulset spec for fields other than 'replicas'");
  });
}

describe("a typed client", () => {
  const namespace = "typed";
  const clients = clientsFor(namespace);
  const labels = { app: "web" };
  const spec = {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          { name: "web", image: "web:1", ports: [{ containerPort: 80 }] },
          { name: "side", image: "side:1" },
        ],
      },
    },
  };

  test("creates, updates the status and scales", async () => {
    const apps = clients.config.makeApiClient(AppsV1Api);
    const made = await apps.createNamespacedDeployment({
      namespace,
      body: { metadata: { name: "web" }, spec },
    });
    expect(made.status).toEqual({});
    made.status = { replicas: 1, readyReplicas: 1, observedGeneration: 1 };
    if (made.spec) made.spec.replicas = 9;
    const withStatus = await apps.replaceNamespacedDeploymentStatus({ name: "web", namespace, body: made });
    expect(withStatus).toMatchObject({
      metadata: { generation: 1 },
      spec: { replicas: 1 },
      status: { replicas: 1 },
    });
    const scale = await apps.readNamespacedDeploymentScale({ name: "web", namespace });
    expect(scale).toMatchObject({
      kind: "Scale",
      spec: { replicas: 1 },
      status: { replicas: 1, selector: "app=web" },
    });
    scale.spec = { replicas: 3 };
    await apps.replaceNamespacedDeploymentScale({ name: "web", namespace, body: scale });
    const after = await apps.readNamespacedDeployment({ name: "web", namespace });
    expect(after).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 } });
    const body = {
      metadata: { name: "web" },
      spec: { ...spec, selector: { matchLabels: { app: "other" } } },
    };
    const changed = await failureOf(apps.replaceNamespacedDeployment({ name: "web", namespace, body }));
    expect(changed.status.message).toContain("spec.selector: Invalid value:");
    expect(changed.status.message).toContain("field is immutable");
  });

  test("applies list items beside those of other managers", async () => {
    const apps = clients.config.makeApiClient(AppsV1Api);
    const header = setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply);
    const part = (containers: object[]): object => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "shared" },
      spec: { ...spec, template: { metadata: { labels }, spec: { containers } } },
    });
    const apply = (fieldManager: string, containers: object[]) =>
      apps.patchNamespacedDeployment(
        { name: "shared", namespace, fieldManager, force: false, body: part(containers) },
        header,
      );
    await apply("one", [{ name: "web", image: "web:1", ports: [{ containerPort: 80 }] }]);
    await apply("two", [{ name: "web", ports: [{ containerPort: 80, protocol: "UDP" }] }]);
    const shared = await apply("three", [{ name: "side", image: "side:1" }]);
    expect(shared.spec?.template.spec?.containers).toMatchObject([
      {
        name: "web",
        image: "web:1",
        ports: [
          { containerPort: 80, protocol: "TCP" },
          { containerPort: 80, protocol: "UDP" },
        ],
      },
      { name: "side" },
    ]);
    const without = await apply("two", [{ name: "web" }]);
    expect(without.spec?.template.spec?.containers[0]?.ports).toEqual([
      { containerPort: 80, protocol: "TCP" },
    ]);
    const conflict = await failureOf(apply("four", [{ name: "web", image: "web:2" }]));
    expect(conflict.status.message).toContain('.spec.template.spec.containers[name="web"].image');
  });

  test("keeps the cluster IP of a service", async () => {
    const ports = [{ port: 80 }];
    const body = { metadata: { name: "fixed" }, spec: { clusterIP: "10.96.0.9", ports } };
    const made = await clients.core.createNamespacedService({ namespace, body });
    expect(made.spec?.clusterIPs).toEqual(["10.96.0.9"]);
    const replaced = await clients.core.replaceNamespacedService({
      name: "fixed",
      namespace,
      body: { metadata: { name: "fixed" }, spec: { ports } },
    });
    expect(replaced.spec?.clusterIP).toBe("10.96.0.9");
    const moved = clients.core.replaceNamespacedService({
      name: "fixed",
      namespace,
      body: { metadata: { name: "fixed" }, spec: { clusterIP: "10.96.0.10", ports } },
    });
    expect((await failureOf(moved)).status.message).toContain("may not change once set");
  });

  test("selects pods by node and phase", async () => {
    for (const nodeName of ["a", "b"]) {
      const body = {
        metadata: { name: `on-${nodeName}` },
        spec: { nodeName, containers: [{ name: "c", image: "i" }] },
      };
      await clients.core.createNamespacedPod({ namespace, body });
    }
    const fieldSelector = "spec.nodeName=a,status.phase=Pending";
    const { items } = await clients.core.listNamespacedPod({ namespace, fieldSelector });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(["on-a"]);
    const body = {
      metadata: { name: "on-a" },
      spec: { nodeName: "a", containers: [{ name: "c", image: "i", command: ["x"] }] },
    };
    const changed = await failureOf(clients.core.replaceNamespacedPod({ name: "on-a", namespace, body }));
    expect(changed.status.message).toContain("pod updates may not change fields other than");
  });

  test("writes all kinds that an operator needs", async () => {
    const batch = clients.config.makeApiClient(BatchV1Api);
    const network = clients.config.makeApiClient(NetworkingV1Api);
    const pods = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    const job = await batch.createNamespacedJob({
      namespace,
      body: { metadata: { generateName: "run-" }, spec: { template: pods } },
    });
    expect(job.spec?.template.metadata?.labels?.["job-name"]).toBe(job.metadata?.name);
    await network.createIngressClass({
      body: { metadata: { name: "plain" }, spec: { controller: "demo.dev/in" } },
    });
    await clients.core.createPersistentVolume({
      body: {
        metadata: { name: "disk" },
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/disk" } },
      },
    });
    const claim = await clients.core.createNamespacedPersistentVolumeClaim({
      namespace,
      body: {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } },
      },
    });
    expect(claim).toMatchObject({
      spec: { resources: { requests: { storage: "1Gi" } } },
      status: { phase: "Pending" },
    });
    const node = await clients.core.createNode({
      body: { metadata: { name: "n1" }, status: { capacity: { cpu: "2" } } },
    });
    expect(node.status?.allocatable).toEqual({ cpu: "2" });
  });
});
