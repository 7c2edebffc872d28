import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import {
  labelSelector,
  type LabelSelectorSpec,
  validateLabelSelector,
} from "../../../../model/selector/label-selector.js";
import type { Draft, KindStrategy } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { as } from "../kind-rules.js";
import { validateTemplate } from "../pods/validate-pod.js";

/** Words that the messages about a kind use. */
interface SelectingKind {
  readonly name: string;
  /** Name in messages about selectors. */
  readonly inSelector: string;
  /** Detail of the error that is reported for the whole selector, beside those for its parts. */
  readonly invalidSelector?: string;
}

interface Selected {
  readonly selector?: LabelSelectorSpec;
  readonly template?: PodTemplateSpec;
}

/** Validates the selector and the pod template of a workload whose pods run forever. */
export function validateSelectedTemplate(
  { selector, template }: Selected,
  kind: SelectingKind,
  checks: Checks,
): void {
  validateSelector(selector, kind, checks.at("selector"));
  const at = checks.at("template");
  if (selector === undefined || !isEmpty(selector)) validateMatch(selector, template, at);
  validateTemplate(template, at);
  at.at("spec", "restartPolicy").oneOf(template?.spec?.restartPolicy, ["Always"]);
  if (template?.spec?.activeDeadlineSeconds !== undefined) {
    at.at("spec", "activeDeadlineSeconds").forbidden(
      `activeDeadlineSeconds in ${kind.name} is not Supported`,
    );
  }
}

function validateSelector(
  selector: LabelSelectorSpec | undefined,
  kind: SelectingKind,
  checks: Checks,
): void {
  if (selector === undefined) {
    checks.required();
    return;
  }
  const errors = validateLabelSelector(selector, checks.path);
  checks.add(errors);
  if (errors.length > 0 && kind.invalidSelector !== undefined) checks.invalid(selector, kind.invalidSelector);
  if (isEmpty(selector)) checks.invalid(selector, `empty selector is invalid for ${kind.inSelector}`);
}

/** Checks that a workload selects the pods that it creates; otherwise it would create pods forever. */
export function validateMatch(
  selector: LabelSelectorSpec | undefined,
  template: PodTemplateSpec | undefined,
  checks: Checks,
): void {
  const labels = template?.metadata?.labels;
  if (!matches(selector, labels)) {
    checks.at("metadata", "labels").invalid(labels ?? null, "`selector` does not match template `labels`");
  }
}

function matches(
  selector: LabelSelectorSpec | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  try {
    return labelSelector(selector).matches(labels);
  } catch {
    // Faults of the selector are reported elsewhere.
    return true;
  }
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelectorSpec = {}): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/** Validation of updates of a kind whose selector cannot change. */
export function withFixedSelector(
  validate: (object: Draft) => fieldErrors.FieldError[],
): NonNullable<KindStrategy["validateUpdate"]> {
  return (object, old) => {
    const checks = new Checks("spec", validate(object));
    const [now, before] = [object, old].map((each) => as<{ readonly spec?: Selected }>(each).spec?.selector);
    checks.at("selector").unchanged(now, before);
    return checks.errors;
  };
}

/** Paths of the scale subresource of workloads. */
export const replicaPaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
} as const;
