import type { ConditionUpdate } from "../../model/core.js";
import { quote } from "../../model/object/quote.js";
import type { Definition } from "./definition.js";

/** Annotation in which definitions in protected groups name the approving pull request. */
export const approvalAnnotation = "api-approved.kubernetes.io";

type State = "Invalid" | "Approved" | "Bypassed" | "Missing";

/** Approval of a definition in a protected group. */
interface Approval {
  readonly state: State;
  readonly reason: string;
}

/** Approval of a definition; undefined for groups that are not protected. */
export function approvalOf({ metadata, spec }: Definition): Approval | undefined {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(spec.group)) return undefined;
  const annotation = metadata.annotations?.[approvalAnnotation] ?? "";
  const must = `protected groups must have approval annotation ${quote(approvalAnnotation)}`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (annotation === "") return { state: "Missing", reason: `${must}, ${see}` };
  if (annotation.startsWith("unapproved"))
    return { state: "Bypassed", reason: `not approved: ${quote(annotation)}` };
  if (isUrl(annotation)) return { state: "Approved", reason: `approved in ${annotation}` };
  return {
    state: "Invalid",
    reason: `${must} with either a URL or a reason starting with "unapproved", ${see}`,
  };
}

/** Condition about the approval; undefined for groups that are not protected. */
export function approvalCondition(definition: Definition): ConditionUpdate | undefined {
  const approval = approvalOf(definition);
  if (!approval) return undefined;
  const { state, reason } = approval;
  return {
    type: "KubernetesAPIApprovalPolicyConformant",
    status: state === "Approved" ? "True" : "False",
    reason: `${state === "Bypassed" ? "Unapproved" : state}Annotation`,
    message: reason,
  };
}

function isUrl(text: string): boolean {
  return /^[a-z][-+.a-z\d]*:\/\/[^/?#\s]/i.test(text) && URL.canParse(text);
}
