import type { servedKinds } from "../../../model/built-in-kinds.js";
import { mastersOnly, type Authorize } from "../../access/authorize.js";
import type { KindStrategy } from "../../resources/resource-type.js";
import { clusterRoleBinding, roleBinding } from "./access/bindings.js";
import { accessReviews } from "./access/access-reviews.js";
import { clusterRole, role } from "./access/roles.js";
import { horizontalPodAutoscalerV1 } from "./cluster/horizontal-pod-autoscaler-v1.js";
import { horizontalPodAutoscaler } from "./cluster/horizontal-pod-autoscaler.js";
import { node } from "./cluster/node.js";
import { podDisruptionBudget } from "./cluster/pod-disruption-budget.js";
import { priorityClass } from "./cluster/priority-class.js";
import { limitRange, resourceQuota } from "./cluster/quotas.js";
import { configMap } from "./config-map.js";
import { definitionRules } from "./custom-resource-definition.js";
import { coreEvent, newEvent } from "./event.js";
import type { KindRules } from "./kind-rules.js";
import { lease } from "./lease.js";
import { namespace } from "./namespace.js";
import { endpointSlice } from "./network/endpoint-slice.js";
import { endpoints } from "./network/endpoints.js";
import { ingressClass } from "./network/ingress-class.js";
import { ingress } from "./network/ingress.js";
import { networkPolicy } from "./network/network-policy.js";
import { parseServiceRanges, type ServiceRanges } from "./network/service-ranges.js";
import { service } from "./network/service.js";
import { podTemplate } from "./pods/pod-template.js";
import { pod } from "./pods/pod.js";
import { secret } from "./secret.js";
import { serviceAccount } from "./service-account.js";
import { persistentVolumeClaim } from "./storage/persistent-volume-claim.js";
import { persistentVolume } from "./storage/persistent-volume.js";
import { storageClass } from "./storage/storage-class.js";
import { controllerRevision } from "./workloads/controller-revision.js";
import { cronJob } from "./workloads/cron-job.js";
import { daemonSet } from "./workloads/daemon-set.js";
import { deployment } from "./workloads/deployment.js";
import { job } from "./workloads/job.js";
import { replicaSet } from "./workloads/replica-set.js";
import { replicationController } from "./workloads/replication-controller.js";
import { statefulSet } from "./workloads/stateful-set.js";

/** Rules that other parts of the server add. */
export interface KindHooks {
  /** Rules of CustomResourceDefinition. */
  readonly customResourceDefinition?: Partial<KindStrategy> | undefined;
  /** Decides about access, for access reviews. */
  readonly authorize?: Authorize | undefined;
  /** Ranges from which services get addresses and ports. */
  readonly services?: ServiceRanges | undefined;
}

/** Rules of every served kind. */
export function kindRules({
  customResourceDefinition: definitions,
  authorize = mastersOnly,
  services = parseServiceRanges(),
}: KindHooks): Readonly<Record<keyof typeof servedKinds, KindRules>> {
  return {
    ...accessReviews(authorize),
    ConfigMap: configMap,
    Endpoints: endpoints,
    Event: coreEvent,
    LimitRange: limitRange,
    Namespace: namespace,
    Node: node,
    PersistentVolume: persistentVolume,
    PersistentVolumeClaim: persistentVolumeClaim,
    Pod: pod,
    PodTemplate: podTemplate,
    ReplicationController: replicationController,
    ResourceQuota: resourceQuota,
    Secret: secret,
    Service: service(services),
    ServiceAccount: serviceAccount,
    ControllerRevision: controllerRevision,
    DaemonSet: daemonSet,
    Deployment: deployment,
    ReplicaSet: replicaSet,
    StatefulSet: statefulSet,
    EventsEvent: newEvent,
    HorizontalPodAutoscaler: horizontalPodAutoscaler,
    HorizontalPodAutoscalerV1: horizontalPodAutoscalerV1,
    CronJob: cronJob,
    Job: job,
    Ingress: ingress,
    IngressClass: ingressClass,
    NetworkPolicy: networkPolicy,
    PodDisruptionBudget: podDisruptionBudget,
    ClusterRole: clusterRole,
    ClusterRoleBinding: clusterRoleBinding,
    Role: role,
    RoleBinding: roleBinding,
    StorageClass: storageClass,
    PriorityClass: priorityClass,
    Lease: lease,
    EndpointSlice: endpointSlice,
    CustomResourceDefinition: definitionRules(definitions),
  };
}
