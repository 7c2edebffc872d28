import type { Strategy } from "../../resources/resource-type.js";
import { clusterRoleBinding, roleBinding } from "./access/bindings.js";
import { clusterRole, role } from "./access/roles.js";
import { horizontalPodAutoscaler } from "./cluster/horizontal-pod-autoscaler.js";
import { node } from "./cluster/node.js";
import { podDisruptionBudget } from "./cluster/pod-disruption-budget.js";
import { priorityClass } from "./cluster/priority-class.js";
import { limitRange, resourceQuota } from "./cluster/quotas.js";
import { configMap } from "./config-map.js";
import { customResourceDefinition } from "./custom-resource-definition.js";
import { coreEvent, newEvent } from "./event.js";
import type { KindRules } from "./kind-rules.js";
import { lease } from "./lease.js";
import { namespace } from "./namespace.js";
import { endpointSlice } from "./network/endpoint-slice.js";
import { endpoints } from "./network/endpoints.js";
import { ingressClass } from "./network/ingress-class.js";
import { ingress } from "./network/ingress.js";
import { networkPolicy } from "./network/network-policy.js";
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

/** The rules of every kind in the tables that is served. What definitions do comes from those who serve them. */
export function allRules(definitions: Partial<Strategy> | undefined): Readonly<Record<string, KindRules>> {
  return {
    "core/v1.ConfigMap": configMap,
    "core/v1.Endpoints": endpoints,
    "core/v1.Event": coreEvent,
    "core/v1.LimitRange": limitRange,
    "core/v1.Namespace": namespace,
    "core/v1.Node": node,
    "core/v1.PersistentVolume": persistentVolume,
    "core/v1.PersistentVolumeClaim": persistentVolumeClaim,
    "core/v1.Pod": pod,
    "core/v1.PodTemplate": podTemplate,
    "core/v1.ReplicationController": replicationController,
    "core/v1.ResourceQuota": resourceQuota,
    "core/v1.Secret": secret,
    "core/v1.Service": service,
    "core/v1.ServiceAccount": serviceAccount,
    "apps/v1.ControllerRevision": controllerRevision,
    "apps/v1.DaemonSet": daemonSet,
    "apps/v1.Deployment": deployment,
    "apps/v1.ReplicaSet": replicaSet,
    "apps/v1.StatefulSet": statefulSet,
    "events.k8s.io/v1.Event": newEvent,
    "autoscaling/v2.HorizontalPodAutoscaler": horizontalPodAutoscaler,
    "batch/v1.CronJob": cronJob,
    "batch/v1.Job": job,
    "networking.k8s.io/v1.Ingress": ingress,
    "networking.k8s.io/v1.IngressClass": ingressClass,
    "networking.k8s.io/v1.NetworkPolicy": networkPolicy,
    "policy/v1.PodDisruptionBudget": podDisruptionBudget,
    "rbac.authorization.k8s.io/v1.ClusterRole": clusterRole,
    "rbac.authorization.k8s.io/v1.ClusterRoleBinding": clusterRoleBinding,
    "rbac.authorization.k8s.io/v1.Role": role,
    "rbac.authorization.k8s.io/v1.RoleBinding": roleBinding,
    "storage.k8s.io/v1.StorageClass": storageClass,
    "scheduling.k8s.io/v1.PriorityClass": priorityClass,
    "coordination.k8s.io/v1.Lease": lease,
    "discovery.k8s.io/v1.EndpointSlice": endpointSlice,
    "apiextensions.k8s.io/v1.CustomResourceDefinition": customResourceDefinition(definitions),
  };
}
