import { apiextensions } from "./apiextensions.js";
import { apps } from "./apps.js";
import { autoscalingV2 } from "./autoscaling-v2.js";
import { autoscaling } from "./autoscaling.js";
import { batch } from "./batch.js";
import { coordination } from "./coordination.js";
import { core } from "./core.js";
import { containers } from "./core/containers.js";
import { nodes } from "./core/nodes.js";
import { otherVolumes } from "./core/other-volumes.js";
import { persistentVolumes } from "./core/persistent-volumes.js";
import { podStatus } from "./core/pod-status.js";
import { pods } from "./core/pods.js";
import { quotas } from "./core/quotas.js";
import { placement } from "./core/placement.js";
import { services } from "./core/services.js";
import { volumes } from "./core/volumes.js";
import { endpoints } from "./endpoints.js";
import { events } from "./events.js";
import { meta } from "./meta.js";
import { networking } from "./networking.js";
import { policy } from "./policy.js";
import { priorities } from "./priorities.js";
import { rbac } from "./rbac.js";
import { storage } from "./storage.js";

/** All tables. Clients that find a kind in several groups take the first, so the order is that of Kubernetes. */
export const tables: readonly string[] = [
  meta,
  core,
  pods,
  containers,
  volumes,
  otherVolumes,
  placement,
  podStatus,
  services,
  persistentVolumes,
  nodes,
  quotas,
  apps,
  events,
  autoscalingV2,
  autoscaling,
  batch,
  networking,
  policy,
  rbac,
  storage,
  apiextensions,
  priorities,
  coordination,
  endpoints,
];
