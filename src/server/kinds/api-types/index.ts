import { apiextensions } from "./apiextensions.js";
import { apps } from "./apps.js";
import { authorization } from "./authorization.js";
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
import { discovery } from "./discovery.js";
import { events } from "./events.js";
import { meta } from "./meta.js";
import { networking } from "./networking.js";
import { policy } from "./policy.js";
import { scheduling } from "./scheduling.js";
import { rbac } from "./rbac.js";
import { storage } from "./storage.js";

/** Types of all built-in kinds, by group. Clients that find a kind in several groups use the first, so the order is Kubernetes'. */
export const apiTypes: readonly string[] = [
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
  authorization,
  autoscaling,
  batch,
  networking,
  policy,
  rbac,
  storage,
  apiextensions,
  scheduling,
  coordination,
  discovery,
];
