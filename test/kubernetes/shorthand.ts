/** How the cases call a kind, and what it is on the wire. */
interface Shorthand {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
}

function core(plural: string, kind: string): [string, Shorthand] {
  return [plural, { path: `/api/v1/namespaces/$ns/${plural}`, apiVersion: "v1", kind }];
}

function group(apiVersion: string, plural: string, kind: string): [string, Shorthand] {
  return [plural, { path: `/apis/${apiVersion}/namespaces/$ns/${plural}`, apiVersion, kind }];
}

function cluster(apiVersion: string, plural: string, kind: string): [string, Shorthand] {
  const root = apiVersion.includes("/") ? "/apis" : "/api";
  return [plural, { path: `${root}/${apiVersion}/${plural}`, apiVersion, kind }];
}

const shorthands = new Map<string, Shorthand>([
  core("configmaps", "ConfigMap"),
  core("secrets", "Secret"),
  core("events", "Event"),
  core("pods", "Pod"),
  core("services", "Service"),
  core("serviceaccounts", "ServiceAccount"),
  core("persistentvolumeclaims", "PersistentVolumeClaim"),
  core("resourcequotas", "ResourceQuota"),
  core("limitranges", "LimitRange"),
  cluster("v1", "namespaces", "Namespace"),
  cluster("v1", "nodes", "Node"),
  group("apps/v1", "deployments", "Deployment"),
  group("apps/v1", "statefulsets", "StatefulSet"),
  group("batch/v1", "jobs", "Job"),
  group("batch/v1", "cronjobs", "CronJob"),
  group("networking.k8s.io/v1", "ingresses", "Ingress"),
  group("networking.k8s.io/v1", "networkpolicies", "NetworkPolicy"),
  group("coordination.k8s.io/v1", "leases", "Lease"),
  group("rbac.authorization.k8s.io/v1", "roles", "Role"),
  group("rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding"),
  cluster("rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole"),
  cluster("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition"),
  group("demo.dev/v1", "widgets", "Widget"),
  group("demo.dev/v1", "gadgets", "Gadget"),
  cluster("demo.dev/v1", "stones", "Stone"),
  group("demo.dev/v1", "valves", "Valve"),
  [
    "valves.v2",
    { path: "/apis/demo.dev/v2/namespaces/$ns/valves", apiVersion: "demo.dev/v2", kind: "Valve" },
  ],
]);

/** `configmaps/lamp?limit=1` as a path, and the kind it is about; what begins with a slash is a path already. */
export function expand(target: string): { readonly path: string; readonly kind?: Shorthand } {
  if (target.startsWith("/")) return { path: target };
  const [plural = ""] = target.split(/[/?]/, 1);
  const kind = shorthands.get(plural);
  if (kind === undefined) throw new Error(`the cases know no ${plural}; add it to shorthand.ts`);
  return { path: kind.path + target.slice(plural.length), kind };
}
