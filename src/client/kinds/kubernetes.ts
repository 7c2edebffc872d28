/**
 * Typed built-in kinds of Kubernetes: `fettle/kubernetes`.
 *
 * @example
 * import { Deployment } from "fettle/kubernetes";
 * const { spec } = await client.get(Deployment, "web");
 * spec?.replicas; // number | undefined
 */
import type * as admission from "kubernetes-types/admissionregistration/v1.js";
import type * as apiextensions from "kubernetes-types/apiextensions/v1.js";
import type * as apps from "kubernetes-types/apps/v1.js";
import type * as authentication from "kubernetes-types/authentication/v1.js";
import type * as authorization from "kubernetes-types/authorization/v1.js";
import type * as autoscalingV1 from "kubernetes-types/autoscaling/v1.js";
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
import { builtInKinds } from "../../model/built-in-kinds.js";
import { kind, type ExternalKind } from "./kind.js";

function builtIn<Shape>(name: keyof typeof builtInKinds): ExternalKind<Shape> {
  const { apiVersion, kind: kindName, plural, scope } = builtInKinds[name];
  return kind<Shape>(apiVersion, kindName, { plural, scope });
}

/** CustomResourceDefinition whose schemas have Kubernetes' extensions (`x-kubernetes-…`), which `kubernetes-types` lacks. */
interface Definition extends Omit<apiextensions.CustomResourceDefinition, "spec"> {
  spec: Omit<apiextensions.CustomResourceDefinitionSpec, "versions"> & { versions: DefinitionVersion[] };
}
interface DefinitionVersion extends Omit<apiextensions.CustomResourceDefinitionVersion, "schema"> {
  schema?: { openAPIV3Schema?: StructuralSchema };
}

export const ConfigMap = builtIn<core.ConfigMap>("ConfigMap");
export const Endpoints = builtIn<core.Endpoints>("Endpoints");
/** Event as `kubectl describe` shows it. The same objects are served as {@link EventsEvent}. */
export const Event = builtIn<core.Event>("Event");
export const LimitRange = builtIn<core.LimitRange>("LimitRange");
export const Namespace = builtIn<core.Namespace>("Namespace");
export const Node = builtIn<core.Node>("Node");
export const PersistentVolume = builtIn<core.PersistentVolume>("PersistentVolume");
export const PersistentVolumeClaim = builtIn<core.PersistentVolumeClaim>("PersistentVolumeClaim");
export const Pod = builtIn<core.Pod>("Pod");
export const PodTemplate = builtIn<core.PodTemplate>("PodTemplate");
export const ReplicationController = builtIn<core.ReplicationController>("ReplicationController");
export const ResourceQuota = builtIn<core.ResourceQuota>("ResourceQuota");
export const Secret = builtIn<core.Secret>("Secret");
export const Service = builtIn<core.Service>("Service");
export const ServiceAccount = builtIn<core.ServiceAccount>("ServiceAccount");

export const ControllerRevision = builtIn<apps.ControllerRevision>("ControllerRevision");
export const DaemonSet = builtIn<apps.DaemonSet>("DaemonSet");
export const Deployment = builtIn<apps.Deployment>("Deployment");
export const ReplicaSet = builtIn<apps.ReplicaSet>("ReplicaSet");
export const StatefulSet = builtIn<apps.StatefulSet>("StatefulSet");

export const CronJob = builtIn<batch.CronJob>("CronJob");
export const Job = builtIn<batch.Job>("Job");

export const HorizontalPodAutoscaler =
  builtIn<autoscaling.HorizontalPodAutoscaler>("HorizontalPodAutoscaler");

/** The same objects as {@link HorizontalPodAutoscaler}; fields that v1 lacks are annotations. */
export const HorizontalPodAutoscalerV1 =
  builtIn<autoscalingV1.HorizontalPodAutoscaler>("HorizontalPodAutoscalerV1");

/** Access reviews are created only: the response has the answer. */
export const LocalSubjectAccessReview =
  builtIn<authorization.LocalSubjectAccessReview>("LocalSubjectAccessReview");
export const SelfSubjectAccessReview =
  builtIn<authorization.SelfSubjectAccessReview>("SelfSubjectAccessReview");
export const SelfSubjectRulesReview = builtIn<authorization.SelfSubjectRulesReview>("SelfSubjectRulesReview");
export const SelfSubjectReview = builtIn<authentication.SelfSubjectReview>("SelfSubjectReview");
export const SubjectAccessReview = builtIn<authorization.SubjectAccessReview>("SubjectAccessReview");

export const PodDisruptionBudget = builtIn<policy.PodDisruptionBudget>("PodDisruptionBudget");

export const PriorityClass = builtIn<scheduling.PriorityClass>("PriorityClass");

export const RuntimeClass = builtIn<node.RuntimeClass>("RuntimeClass");

export const EndpointSlice = builtIn<discovery.EndpointSlice>("EndpointSlice");

export const Ingress = builtIn<networking.Ingress>("Ingress");
export const IngressClass = builtIn<networking.IngressClass>("IngressClass");
export const NetworkPolicy = builtIn<networking.NetworkPolicy>("NetworkPolicy");

export const ClusterRole = builtIn<rbac.ClusterRole>("ClusterRole");
export const ClusterRoleBinding = builtIn<rbac.ClusterRoleBinding>("ClusterRoleBinding");
export const Role = builtIn<rbac.Role>("Role");
export const RoleBinding = builtIn<rbac.RoleBinding>("RoleBinding");

export const CSIDriver = builtIn<storage.CSIDriver>("CSIDriver");
export const CSINode = builtIn<storage.CSINode>("CSINode");
export const CSIStorageCapacity = builtIn<storage.CSIStorageCapacity>("CSIStorageCapacity");
export const StorageClass = builtIn<storage.StorageClass>("StorageClass");
export const VolumeAttachment = builtIn<storage.VolumeAttachment>("VolumeAttachment");

export const Lease = builtIn<coordination.Lease>("Lease");

/** The objects of {@link Event} in the newer group events.k8s.io, which names some fields differently. */
export const EventsEvent = builtIn<events.Event>("EventsEvent");

export const CustomResourceDefinition = builtIn<Definition>("CustomResourceDefinition");

export const MutatingWebhookConfiguration = builtIn<admission.MutatingWebhookConfiguration>(
  "MutatingWebhookConfiguration",
);
export const ValidatingAdmissionPolicy =
  builtIn<admission.ValidatingAdmissionPolicy>("ValidatingAdmissionPolicy");
export const ValidatingAdmissionPolicyBinding = builtIn<admission.ValidatingAdmissionPolicyBinding>(
  "ValidatingAdmissionPolicyBinding",
);
export const ValidatingWebhookConfiguration = builtIn<admission.ValidatingWebhookConfiguration>(
  "ValidatingWebhookConfiguration",
);

export const CertificateSigningRequest =
  builtIn<certificates.CertificateSigningRequest>("CertificateSigningRequest");

export const FlowSchema = builtIn<flowcontrol.FlowSchema>("FlowSchema");
export const PriorityLevelConfiguration = builtIn<flowcontrol.PriorityLevelConfiguration>(
  "PriorityLevelConfiguration",
);
