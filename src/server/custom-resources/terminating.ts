import type { ConditionUpdate } from "../../model/core.js";

/** `Terminating` condition of a definition during the removal of its kind. */
export const terminating = {
  pending: {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  },
  inProgress: {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionInProgress",
    message: "CustomResource deletion is in progress",
  },
  neverEstablished: {
    type: "Terminating",
    status: "False",
    reason: "NeverEstablished",
    message: "resource was never established",
  },
  completed: {
    type: "Terminating",
    status: "False",
    reason: "InstanceDeletionCompleted",
    message: "removed all instances",
  },
} as const satisfies Record<string, ConditionUpdate>;
