/** A kind of Kubernetes' own: its names and how it is served. */
export interface BuiltInKind extends Details {
  readonly apiVersion: string;
  readonly kind: string;
  /** Name in URLs, such as `deployments`. */
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

interface Details {
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly (
    | "attach"
    | "binding"
    | "ephemeralcontainers"
    | "eviction"
    | "exec"
    | "finalize"
    | "log"
    | "portforward"
    | "scale"
    | "status"
  )[];
  /** Verbs that the kind lacks. */
  readonly withoutVerbs?: readonly "deletecollection"[];
  /** Only verb of a kind whose objects are questions, which are answered and not stored. */
  readonly onlyVerb?: "create";
}

/**
 * Built-in kinds that the server serves, by their names in `fettle/kubernetes`. Groups are in the order of Kubernetes:
 * clients that find a kind in several groups use the first.
 */
export const servedKinds = {
  ConfigMap: namespaced("v1", "ConfigMap", "configmaps", { shortNames: ["cm"] }),
  Secret: namespaced("v1", "Secret", "secrets"),
  ServiceAccount: namespaced("v1", "ServiceAccount", "serviceaccounts", { shortNames: ["sa"] }),
  Namespace: cluster("v1", "Namespace", "namespaces", {
    shortNames: ["ns"],
    subresources: ["finalize", "status"],
    withoutVerbs: ["deletecollection"],
  }),
  Event: namespaced("v1", "Event", "events", { shortNames: ["ev"] }),
  Pod: namespaced("v1", "Pod", "pods", {
    shortNames: ["po"],
    categories: ["all"],
    subresources: [
      "attach",
      "binding",
      "ephemeralcontainers",
      "eviction",
      "exec",
      "log",
      "portforward",
      "status",
    ],
  }),
  PodTemplate: namespaced("v1", "PodTemplate", "podtemplates"),
  ReplicationController: namespaced("v1", "ReplicationController", "replicationcontrollers", {
    shortNames: ["rc"],
    categories: ["all"],
    subresources: ["scale", "status"],
  }),
  Service: namespaced("v1", "Service", "services", {
    shortNames: ["svc"],
    categories: ["all"],
    subresources: ["status"],
  }),
  Endpoints: namespaced("v1", "Endpoints", "endpoints", { shortNames: ["ep"] }),
  PersistentVolume: cluster("v1", "PersistentVolume", "persistentvolumes", {
    shortNames: ["pv"],
    subresources: ["status"],
  }),
  PersistentVolumeClaim: namespaced("v1", "PersistentVolumeClaim", "persistentvolumeclaims", {
    shortNames: ["pvc"],
    subresources: ["status"],
  }),
  Node: cluster("v1", "Node", "nodes", { shortNames: ["no"], subresources: ["status"] }),
  LimitRange: namespaced("v1", "LimitRange", "limitranges", { shortNames: ["limits"] }),
  ResourceQuota: namespaced("v1", "ResourceQuota", "resourcequotas", {
    shortNames: ["quota"],
    subresources: ["status"],
  }),
  Deployment: namespaced("apps/v1", "Deployment", "deployments", {
    shortNames: ["deploy"],
    categories: ["all"],
    subresources: ["scale", "status"],
  }),
  StatefulSet: namespaced("apps/v1", "StatefulSet", "statefulsets", {
    shortNames: ["sts"],
    categories: ["all"],
    subresources: ["scale", "status"],
  }),
  DaemonSet: namespaced("apps/v1", "DaemonSet", "daemonsets", {
    shortNames: ["ds"],
    categories: ["all"],
    subresources: ["status"],
  }),
  ReplicaSet: namespaced("apps/v1", "ReplicaSet", "replicasets", {
    shortNames: ["rs"],
    categories: ["all"],
    subresources: ["scale", "status"],
  }),
  ControllerRevision: namespaced("apps/v1", "ControllerRevision", "controllerrevisions"),
  EventsEvent: namespaced("events.k8s.io/v1", "Event", "events", { shortNames: ["ev"] }),
  SelfSubjectReview: review("authentication.k8s.io/v1", "SelfSubjectReview", "selfsubjectreviews"),
  LocalSubjectAccessReview: namespaced(
    "authorization.k8s.io/v1",
    "LocalSubjectAccessReview",
    "localsubjectaccessreviews",
    { onlyVerb: "create" },
  ),
  SelfSubjectAccessReview: review(
    "authorization.k8s.io/v1",
    "SelfSubjectAccessReview",
    "selfsubjectaccessreviews",
  ),
  SelfSubjectRulesReview: review(
    "authorization.k8s.io/v1",
    "SelfSubjectRulesReview",
    "selfsubjectrulesreviews",
  ),
  SubjectAccessReview: review("authorization.k8s.io/v1", "SubjectAccessReview", "subjectaccessreviews"),
  HorizontalPodAutoscaler: namespaced(
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
    "horizontalpodautoscalers",
    { shortNames: ["hpa"], categories: ["all"], subresources: ["status"] },
  ),
  HorizontalPodAutoscalerV1: namespaced(
    "autoscaling/v1",
    "HorizontalPodAutoscaler",
    "horizontalpodautoscalers",
    { shortNames: ["hpa"], categories: ["all"], subresources: ["status"] },
  ),
  Job: namespaced("batch/v1", "Job", "jobs", { categories: ["all"], subresources: ["status"] }),
  CronJob: namespaced("batch/v1", "CronJob", "cronjobs", {
    shortNames: ["cj"],
    categories: ["all"],
    subresources: ["status"],
  }),
  Ingress: namespaced("networking.k8s.io/v1", "Ingress", "ingresses", {
    shortNames: ["ing"],
    subresources: ["status"],
  }),
  IngressClass: cluster("networking.k8s.io/v1", "IngressClass", "ingressclasses"),
  NetworkPolicy: namespaced("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", {
    shortNames: ["netpol"],
  }),
  PodDisruptionBudget: namespaced("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", {
    shortNames: ["pdb"],
    subresources: ["status"],
  }),
  Role: namespaced("rbac.authorization.k8s.io/v1", "Role", "roles"),
  RoleBinding: namespaced("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"),
  ClusterRole: cluster("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles"),
  ClusterRoleBinding: cluster("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings"),
  StorageClass: cluster("storage.k8s.io/v1", "StorageClass", "storageclasses", { shortNames: ["sc"] }),
  CustomResourceDefinition: cluster(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    { shortNames: ["crd", "crds"], categories: ["api-extensions"], subresources: ["status"] },
  ),
  PriorityClass: cluster("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", { shortNames: ["pc"] }),
  Lease: namespaced("coordination.k8s.io/v1", "Lease", "leases"),
  EndpointSlice: namespaced("discovery.k8s.io/v1", "EndpointSlice", "endpointslices"),
} as const;

/** Built-in kinds of a Kubernetes cluster that the server does not serve; clients of a cluster use them. */
const clusterOnlyKinds = {
  RuntimeClass: cluster("node.k8s.io/v1", "RuntimeClass", "runtimeclasses"),
  CSIDriver: cluster("storage.k8s.io/v1", "CSIDriver", "csidrivers"),
  CSINode: cluster("storage.k8s.io/v1", "CSINode", "csinodes"),
  CSIStorageCapacity: namespaced("storage.k8s.io/v1", "CSIStorageCapacity", "csistoragecapacities"),
  VolumeAttachment: cluster("storage.k8s.io/v1", "VolumeAttachment", "volumeattachments"),
  MutatingWebhookConfiguration: cluster(
    "admissionregistration.k8s.io/v1",
    "MutatingWebhookConfiguration",
    "mutatingwebhookconfigurations",
  ),
  ValidatingAdmissionPolicy: cluster(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
  ),
  ValidatingAdmissionPolicyBinding: cluster(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
  ),
  ValidatingWebhookConfiguration: cluster(
    "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
  ),
  CertificateSigningRequest: cluster(
    "certificates.k8s.io/v1",
    "CertificateSigningRequest",
    "certificatesigningrequests",
  ),
  FlowSchema: cluster("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "flowschemas"),
  PriorityLevelConfiguration: cluster(
    "flowcontrol.apiserver.k8s.io/v1",
    "PriorityLevelConfiguration",
    "prioritylevelconfigurations",
  ),
} as const;

export const builtInKinds = { ...servedKinds, ...clusterOnlyKinds } as const;

function namespaced(apiVersion: string, kind: string, plural: string, more?: Details): BuiltInKind {
  return { apiVersion, kind, plural, scope: "Namespaced", ...more };
}

function cluster(apiVersion: string, kind: string, plural: string, more?: Details): BuiltInKind {
  return { apiVersion, kind, plural, scope: "Cluster", ...more };
}

function review(apiVersion: string, kind: string, plural: string): BuiltInKind {
  return cluster(apiVersion, kind, plural, { onlyVerb: "create" });
}
