import { leaseRules, pauseRules, shardRules, type Rule } from "./rules.js";

export interface OperatorManifestOptions {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  /** Arguments of the container: the path of the module in the image. */
  readonly args: readonly string[];
  readonly rules: readonly Rule[];
  /** Number of shards; undefined when one process works at a time. */
  readonly shards?: number | undefined;
}

/** Port of `fettle run` for probes and metrics. */
const healthPort = 8081;

/** What lets controllers do their work, and nothing else. */
export function accessManifests({
  name,
  namespace,
  rules,
  shards,
}: OperatorManifestOptions): readonly object[] {
  const labels = labelsOf(name);
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  const apiGroup = "rbac.authorization.k8s.io";
  const apiVersion = `${apiGroup}/v1`;
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace, labels } },
    { apiVersion, kind: "ClusterRole", metadata: { name, labels }, rules },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata: { name, labels },
      roleRef: { apiGroup, kind: "ClusterRole", name },
      subjects,
    },
    {
      apiVersion,
      kind: "Role",
      metadata: { name, namespace, labels },
      rules: [...(shards === undefined ? leaseRules : shardRules), ...pauseRules],
    },
    {
      apiVersion,
      kind: "RoleBinding",
      metadata: { name, namespace, labels },
      roleRef: { apiGroup, kind: "Role", name },
      subjects,
    },
  ];
}

/** The process itself: small, without rights on its node, restarted when it does not answer. */
export function deploymentManifest({
  name,
  namespace,
  image,
  args,
  shards,
}: OperatorManifestOptions): object {
  const labels = labelsOf(name);
  const probe = (path: string, periodSeconds: number) => ({
    httpGet: { path, port: "health" },
    periodSeconds,
    failureThreshold: 3,
  });
  const container = {
    name: "controllers",
    image,
    args: shards === undefined ? args : [...args, "--shards", String(shards)],
    env: [
      { name: "FETTLE_HEALTH_HOST", value: "0.0.0.0" },
      { name: "FETTLE_HEALTH_PORT", value: String(healthPort) },
      { name: "FETTLE_LOG", value: "json" },
      // The rest of the limit is for memory outside of the JavaScript heap; a small semi-space keeps the process small.
      { name: "NODE_OPTIONS", value: "--max-old-space-size=80 --max-semi-space-size=2" },
    ],
    ports: [{ name: "health", containerPort: healthPort }],
    startupProbe: { ...probe("/livez", 1), failureThreshold: 60 },
    livenessProbe: probe("/livez", 10),
    readinessProbe: probe("/readyz", 5),
    resources: {
      requests: { cpu: "50m", memory: "64Mi" },
      limits: { memory: "128Mi" },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels },
    spec: {
      // Without shards further replicas are standbys, since one works at a time; with shards all of them work.
      replicas: shards === undefined ? 1 : 3,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          terminationGracePeriodSeconds: 40,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1000,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [container],
        },
      },
    },
  };
}

function labelsOf(name: string): Readonly<Record<string, string>> {
  return { "app.kubernetes.io/name": name };
}
