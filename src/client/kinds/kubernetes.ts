/**
 * Kubernetes' own kinds, typed: `fettle/kubernetes`.
 *
 * @example
 * import { Deployment } from "fettle/kubernetes";
 * const { spec } = await client.get(Deployment, "web");
 * spec?.replicas; // number | undefined
 */
import type * as admission from "kubernetes-types/admissionregistration/v1.js";
import type * as apiextensions from "kubernetes-types/apiextensions/v1.js";
import type * as apps from "kubernetes-types/apps/v1.js";
import type * as autoscaling from "kubernetes-types/autoscaling/v2.js";
import type * as batch from "kubernetes-types/batch/v1.js";
import type * as certificates from "kubernetes-types/certificates/v1.js";
import type * as coordination from "kubernetes-types/coordination/v1.js";
import type * as core from "kubernetes-types/core/v1.js";
import type * as discovery from "kubernetes-types/discovery/v1.js";
import type * as events from "kubernetes-types/events/v1.js";
import type * as flowcontrol from "kubernetes-types/flowcontrol/v1.js";
import type * as networking from "kubernetes-types/networking/v1.js";
import type * as node from "kubernetes-types/node/v1.js";
import type * as policy from "kubernetes-types/policy/v1.js";
import type * as rbac from "kubernetes-types/rbac/v1.js";
import type * as scheduling from "kubernetes-types/scheduling/v1.js";
import type * as storage from "kubernetes-types/storage/v1.js";
import type { StructuralSchema } from "../../model/core.js";
import { kind, type ExternalKind } from "./kind.js";

function namespaced<Shape>(apiVersion: string, name: string, plural: string): ExternalKind<Shape> {
  return kind<Shape>(apiVersion, name, { plural });
}

function cluster<Shape>(apiVersion: string, name: string, plural: string): ExternalKind<Shape> {
  return kind<Shape>(apiVersion, name, { plural, scope: "Cluster" });
}

export const ConfigMap = namespaced<core.ConfigMap>("v1", "ConfigMap", "configmaps");
export const Endpoints = namespaced<core.Endpoints>("v1", "Endpoints", "endpoints");
/** What happened, as `kubectl describe` shows it. The same objects are served as {@link EventsEvent}. */
export const Event = namespaced<core.Event>("v1", "Event", "events");
export const LimitRange = namespaced<core.LimitRange>("v1", "LimitRange", "limitranges");
export const Namespace = cluster<core.Namespace>("v1", "Namespace", "namespaces");
export const Node = cluster<core.Node>("v1", "Node", "nodes");
export const PersistentVolume = cluster<core.PersistentVolume>("v1", "PersistentVolume", "persistentvolumes");
export const PersistentVolumeClaim = namespaced<core.PersistentVolumeClaim>(
  "v1",
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
);
export const Pod = namespaced<core.Pod>("v1", "Pod", "pods");
export const PodTemplate = namespaced<core.PodTemplate>("v1", "PodTemplate", "podtemplates");
export const ReplicationController = namespaced<core.ReplicationController>(
  "v1",
  "ReplicationController",
  "replicationcontrollers",
);
export const ResourceQuota = namespaced<core.ResourceQuota>("v1", "ResourceQuota", "resourcequotas");
export const Secret = namespaced<core.Secret>("v1", "Secret", "secrets");
export const Service = namespaced<core.Service>("v1", "Service", "services");
export const ServiceAccount = namespaced<core.ServiceAccount>("v1", "ServiceAccount", "serviceaccounts");

export const ControllerRevision = namespaced<apps.ControllerRevision>(
  "apps/v1",
  "ControllerRevision",
  "controllerrevisions",
);
export const DaemonSet = namespaced<apps.DaemonSet>("apps/v1", "DaemonSet", "daemonsets");
export const Deployment = namespaced<apps.Deployment>("apps/v1", "Deployment", "deployments");
export const ReplicaSet = namespaced<apps.ReplicaSet>("apps/v1", "ReplicaSet", "replicasets");
export const StatefulSet = namespaced<apps.StatefulSet>("apps/v1", "StatefulSet", "statefulsets");

export const CronJob = namespaced<batch.CronJob>("batch/v1", "CronJob", "cronjobs");
export const Job = namespaced<batch.Job>("batch/v1", "Job", "jobs");

export const HorizontalPodAutoscaler = namespaced<autoscaling.HorizontalPodAutoscaler>(
  "autoscaling/v2",
  "HorizontalPodAutoscaler",
  "horizontalpodautoscalers",
);
export const PodDisruptionBudget = namespaced<policy.PodDisruptionBudget>(
  "policy/v1",
  "PodDisruptionBudget",
  "poddisruptionbudgets",
);
export const PriorityClass = cluster<scheduling.PriorityClass>(
  "scheduling.k8s.io/v1",
  "PriorityClass",
  "priorityclasses",
);
export const RuntimeClass = cluster<node.RuntimeClass>("node.k8s.io/v1", "RuntimeClass", "runtimeclasses");

export const EndpointSlice = namespaced<discovery.EndpointSlice>(
  "discovery.k8s.io/v1",
  "EndpointSlice",
  "endpointslices",
);
export const Ingress = namespaced<networking.Ingress>("networking.k8s.io/v1", "Ingress", "ingresses");
export const IngressClass = cluster<networking.IngressClass>(
  "networking.k8s.io/v1",
  "IngressClass",
  "ingressclasses",
);
export const NetworkPolicy = namespaced<networking.NetworkPolicy>(
  "networking.k8s.io/v1",
  "NetworkPolicy",
  "networkpolicies",
);

const rbacV1 = "rbac.authorization.k8s.io/v1";
export const ClusterRole = cluster<rbac.ClusterRole>(rbacV1, "ClusterRole", "clusterroles");
export const ClusterRoleBinding = cluster<rbac.ClusterRoleBinding>(
  rbacV1,
  "ClusterRoleBinding",
  "clusterrolebindings",
);
export const Role = namespaced<rbac.Role>(rbacV1, "Role", "roles");
export const RoleBinding = namespaced<rbac.RoleBinding>(rbacV1, "RoleBinding", "rolebindings");

const storageV1 = "storage.k8s.io/v1";
export const CSIDriver = cluster<storage.CSIDriver>(storageV1, "CSIDriver", "csidrivers");
export const CSINode = cluster<storage.CSINode>(storageV1, "CSINode", "csinodes");
export const CSIStorageCapacity = namespaced<storage.CSIStorageCapacity>(
  storageV1,
  "CSIStorageCapacity",
  "csistoragecapacities",
);
export const StorageClass = cluster<storage.StorageClass>(storageV1, "StorageClass", "storageclasses");
export const VolumeAttachment = cluster<storage.VolumeAttachment>(
  storageV1,
  "VolumeAttachment",
  "volumeattachments",
);

export const Lease = namespaced<coordination.Lease>("coordination.k8s.io/v1", "Lease", "leases");
/** The same objects as {@link Event}, in the words of their newer group. */
export const EventsEvent = namespaced<events.Event>("events.k8s.io/v1", "Event", "events");

/** With schemas that know Kubernetes' extensions (`x-kubernetes-…`), which the published types leave out. */
interface Definition extends Omit<apiextensions.CustomResourceDefinition, "spec"> {
  spec: Omit<apiextensions.CustomResourceDefinitionSpec, "versions"> & { versions: DefinitionVersion[] };
}
interface DefinitionVersion extends Omit<apiextensions.CustomResourceDefinitionVersion, "schema"> {
  schema?: { openAPIV3Schema?: StructuralSchema };
}
export const CustomResourceDefinition = cluster<Definition>(
  "apiextensions.k8s.io/v1",
  "CustomResourceDefinition",
  "customresourcedefinitions",
);

const admissionV1 = "admissionregistration.k8s.io/v1";
export const MutatingWebhookConfiguration = cluster<admission.MutatingWebhookConfiguration>(
  admissionV1,
  "MutatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
);
export const ValidatingAdmissionPolicy = cluster<admission.ValidatingAdmissionPolicy>(
  admissionV1,
  "ValidatingAdmissionPolicy",
  "validatingadmissionpolicies",
);
export const ValidatingAdmissionPolicyBinding = cluster<admission.ValidatingAdmissionPolicyBinding>(
  admissionV1,
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
);
export const ValidatingWebhookConfiguration = cluster<admission.ValidatingWebhookConfiguration>(
  admissionV1,
  "ValidatingWebhookConfiguration",
  "validatingwebhookconfigurations",
);

export const CertificateSigningRequest = cluster<certificates.CertificateSigningRequest>(
  "certificates.k8s.io/v1",
  "CertificateSigningRequest",
  "certificatesigningrequests",
);
export const FlowSchema = cluster<flowcontrol.FlowSchema>(
  "flowcontrol.apiserver.k8s.io/v1",
  "FlowSchema",
  "flowschemas",
);
export const PriorityLevelConfiguration = cluster<flowcontrol.PriorityLevelConfiguration>(
  "flowcontrol.apiserver.k8s.io/v1",
  "PriorityLevelConfiguration",
  "prioritylevelconfigurations",
);
