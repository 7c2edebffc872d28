import type { JsonObject } from "../../../src/model/core.js";

const meta = { labels: { app: "web" } };
const container = { name: "c", image: "nginx", ports: [{ name: "http", containerPort: 80 }] };
const template = { metadata: meta, spec: { containers: [container] } };
const selector = { matchLabels: { app: "web" } };
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "a" };
const subjects = [{ kind: "User", name: "anna", apiGroup: "rbac.authorization.k8s.io" }];
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

/**
 * Samples by kind that satisfy rules beyond the schema. Other kinds start empty, and get the fields that their schema
 * requires.
 */
export const samples: Readonly<Record<string, JsonObject>> = {
  ConfigMap: { data: { a: "1", b: "two" }, binaryData: { c: "aGVsbG8=" } },
  Secret: { type: "Opaque", stringData: { user: "me" }, data: { password: "aHVudGVyMg==" } },
  ServiceAccount: { secrets: [{ name: "s" }] },
  Namespace: {},
  Event: {
    involvedObject: { kind: "Pod", namespace: "default", name: "a" },
    regarding: { kind: "Pod", namespace: "default", name: "a" },
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "demo.dev/a",
    reportingInstance: "a",
    action: "Test",
    reason: "Test",
    type: "Normal",
  },
  Pod: { spec: { containers: [container] } },
  PodTemplate: { template },
  ReplicationController: { spec: { replicas: 1, selector: { app: "web" }, template } },
  Service: { spec: { ports: [{ name: "http", port: 80 }], selector: { app: "web" } } },
  Endpoints: { subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }] },
  PersistentVolume: {
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/data" },
    },
  },
  PersistentVolumeClaim: { spec: claim },
  Node: { spec: { podCIDR: "10.0.0.0/24" } },
  LimitRange: { spec: { limits: [{ type: "Container", default: { cpu: "1" } }] } },
  ResourceQuota: { spec: { hard: { pods: "3" } } },
  Deployment: { spec: { replicas: 2, selector, template } },
  StatefulSet: { spec: { serviceName: "web", selector, template } },
  DaemonSet: { spec: { selector, template } },
  ReplicaSet: { spec: { replicas: 1, selector, template } },
  ControllerRevision: { data: { a: 1 }, revision: 1 },
  Job: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
  CronJob: {
    spec: {
      schedule: "*/5 * * * *",
      jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
    },
  },
  Ingress: { spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } },
  IngressClass: { spec: { controller: "demo.dev/ingress" } },
  NetworkPolicy: { spec: { podSelector: {}, policyTypes: ["Ingress"] } },
  EndpointSlice: { addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ports: [{ port: 80 }] },
  PodDisruptionBudget: { spec: { minAvailable: 1, selector } },
  HorizontalPodAutoscaler: {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" } },
  },
  Role: { rules },
  ClusterRole: { rules },
  RoleBinding: { roleRef, subjects },
  ClusterRoleBinding: { roleRef: { ...roleRef, kind: "ClusterRole" }, subjects },
  StorageClass: { provisioner: "demo.dev/disk" },
  PriorityClass: { value: 5 },
  Lease: { spec: { holderIdentity: "me", leaseDurationSeconds: 15 } },
  Widget: { spec: { color: "red", replicas: 2, ports: [{ name: "a", port: 1 }] } },
  Scale: { spec: { replicas: 3 } },
};
