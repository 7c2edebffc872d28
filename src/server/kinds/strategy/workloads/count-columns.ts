import type { ReplicaSet } from "kubernetes-types/apps/v1.js";
import { column } from "../columns.js";
import { as } from "../kind-rules.js";

const integer = { type: "integer" } as const;

/** Columns for desired, current and ready pods of replica sets and replication controllers. */
export const countColumns = [
  column(
    "Desired",
    "Desired number of pods.",
    (object) => as<ReplicaSet>(object).spec?.replicas ?? 0,
    integer,
  ),
  column(
    "Current",
    "Current number of pods.",
    (object) => as<ReplicaSet>(object).status?.replicas ?? 0,
    integer,
  ),
  column(
    "Ready",
    "Number of ready pods.",
    (object) => as<ReplicaSet>(object).status?.readyReplicas ?? 0,
    integer,
  ),
] as const;
