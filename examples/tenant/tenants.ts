import { controller, exponentialBackoff, maxOf, tokenBucket, watch, type ObjectOf } from "fettle";
import { Deployment, Namespace, NetworkPolicy, Service, StatefulSet } from "fettle/kubernetes";
import * as manifests from "./manifests.js";
import { Tenant } from "./tenant.js";

const label = "neurallog.io/tenant";

/** Creates a namespace with Redis, a server and network policies for every tenant. */
export const tenants = controller({
  for: Tenant,
  owns: [Namespace, StatefulSet, Service, Deployment, NetworkPolicy],
  finalizer: "tenant.neurallog.io/finalizer",
  limiter: maxOf(exponentialBackoff("5ms", "1000s"), tokenBucket({ perSecond: 10, burst: 100 })),
  phases: {
    initial: "Pending",
    transitions: {
      Pending: ["Provisioning", "Failed", "Terminating"],
      Provisioning: ["Running", "Failed", "Terminating"],
      Running: ["Provisioning", "Failed", "Terminating"],
      Failed: ["Provisioning", "Running", "Terminating"],
      Terminating: [],
    },
  },
  watches: [
    watch(Namespace, {
      to: ({ metadata }) => tenantsIn(metadata.labels).map((name) => ({ name, namespace: "" })),
      indexes: { tenant: ({ metadata }) => tenantsIn(metadata.labels) },
    }),
  ],

  async reconcile(tenant, { ensure, flush, report, phase, ready, recordEvent, wait, requeue, fail }) {
    const namespace = `tenant-${tenant.name}`;
    const problem = problemOf(tenant.spec, namespace);
    if (problem !== undefined) {
      phase("Failed");
      report({ message: problem });
      recordEvent("Failed", problem, "Warning");
      return fail("InvalidTenant", problem);
    }

    const labels = { [label]: tenant.name };
    if (ensure(Namespace, namespace, {}, { labels }) === undefined) {
      await flush();
      recordEvent("Created", `Created namespace ${namespace}`);
    }
    const inside = { namespace, labels };
    const redis = ensure(StatefulSet, "redis", manifests.redis(tenant.spec), inside);
    ensure(Service, "redis", manifests.service("redis"), inside);
    const server = ensure(Deployment, "server", manifests.server(tenant.spec), inside);
    ensure(Service, "server", manifests.service("server"), inside);
    for (const [name, policy] of Object.entries(manifests.policies)) {
      ensure(NetworkPolicy, name, policy, inside);
    }

    const redisStatus = statusOf(redis);
    const serverStatus = statusOf(server);
    report({ namespace, redisStatus, serverStatus, message: null });
    if (redisStatus !== "Running" || serverStatus !== "Running") {
      phase("Provisioning");
      return wait("Provisioning", `Redis is ${redisStatus}, the server is ${serverStatus}`, "5m");
    }
    phase("Running");
    ready("TenantReady", "Tenant is ready");
    return requeue("5m", "periodic reconciliation");
  },

  /** Deletes the namespaces of the tenant, which contain all its objects. */
  async cleanup(tenant, { readAll, client, phase, wait }) {
    const namespaces = readAll(Namespace, { index: "tenant", value: tenant.name });
    if (namespaces.length === 0) return;
    phase("Terminating");
    for (const namespace of namespaces) await client.delete(Namespace, namespace);
    return wait("NamespaceTerminating", "the tenant's namespace is being emptied");
  },
});

function tenantsIn(labels: Readonly<Record<string, string>> = {}): readonly string[] {
  const tenant = labels[label];
  return tenant === undefined ? [] : [tenant];
}

/** Validates rules that the schema cannot express; returns the error, if any. */
function problemOf({ displayName }: ObjectOf<typeof Tenant>["spec"], namespace: string): string | undefined {
  if (displayName.trim() === "") return "displayName is blank: say what people call the tenant";
  if (namespace.length > 63) return `namespace ${namespace} would be longer than 63 characters`;
  return undefined;
}

interface Workload {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number };
}

function statusOf(workload: Workload | undefined): "Pending" | "Starting" | "Running" {
  if (workload === undefined) return "Pending";
  const { spec: { replicas = 1 } = {}, status: { readyReplicas = 0 } = {} } = workload;
  return readyReplicas >= replicas ? "Running" : "Starting";
}
