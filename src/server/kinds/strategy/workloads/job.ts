import type { Job, JobSpec } from "kubernetes-types/batch/v1.js";
import { type fieldErrors, formatAge, type KubeObject } from "../../../../model/core.js";
import { validateLabelSelector } from "../../../../model/selector/label-selector.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks, same } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, containerColumns, selectorCell, wide } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";
import { defaultPodSpec } from "../pods/pod-defaults.js";
import { validateTemplate } from "../pods/validate-pod.js";
import { validateMatch } from "./selected-template.js";
import { warnOfMissingPods } from "../pods/pod-warning.js";

export const job: KindRules = {
  columns: [
    nameColumn,
    column("Status", "Status of the job.", statusOf),
    column("Completions", "Succeeded pods out of required completions.", completions),
    column("Duration", "Time from start to completion, or until now.", duration),
    builtInAgeColumn,
    ...containerColumns((object) => as<Job>(object).spec?.template.spec),
    column(
      "Selector",
      "Label selector of the pods.",
      (object) => selectorCell(as<Job>(object).spec?.selector),
      wide,
    ),
  ],
  selectableFields: new Map([
    ["status.successful", (object) => String(as<Job>(object).status?.succeeded ?? 0)],
  ]),
  defaults(object) {
    const { spec } = as<Job>(object);
    if (spec === undefined) return;
    defaultJobSpec(spec);
    const { labels } = spec.template.metadata ?? {};
    if (labels) object.metadata["labels"] ??= { ...labels };
  },
  strategy: strategyOf({
    generation: true,
    warnings: warnOfMissingPods,
    prepareCreate: resetStatus,
    completeCreate(object) {
      const { spec } = as<Job>(object);
      if (spec && spec.manualSelector !== true) selectOwnPods(object, spec);
      const { labels } = spec?.template.metadata ?? {};
      if (labels) object.metadata["labels"] ??= { ...labels };
    },
    validate,
    validateUpdate: (object, old) => [...validate(object), ...validateUpdate(object, old)],
  }),
};

function defaultJobSpec(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  defaultPodSpec(spec.template.spec);
}

const uidLabel = "batch.kubernetes.io/controller-uid";

/** Generates a selector and labels from the uid of the job. */
function selectOwnPods({ metadata }: Draft, spec: JobSpec): void {
  const name = String(metadata["name"] ?? "");
  const uid = String(metadata["uid"] ?? "");
  const own = {
    "batch.kubernetes.io/job-name": name,
    "job-name": name,
    [uidLabel]: uid,
    "controller-uid": uid,
  };
  const template = (spec.template.metadata ??= {});
  template.labels = { ...own, ...template.labels };
  spec.selector = { ...spec.selector, matchLabels: { [uidLabel]: uid, ...spec.selector?.matchLabels } };
}

function validate(object: Draft): fieldErrors.FieldError[] {
  const { spec } = as<Job>(object);
  const checks = new Checks("spec");
  validateJobSpec(spec, checks);
  const at = checks.at("selector");
  if (spec?.selector === undefined) at.required();
  checks.add(validateLabelSelector(spec?.selector, at.path));
  validateMatch(spec?.selector, spec?.template, checks.at("template"));
  return checks.errors;
}

/** Rules of jobs and job templates, without those of selectors. */
export function validateJobSpec(spec: JobSpec | undefined, checks: Checks): void {
  const counts = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ] as const;
  for (const field of counts) checks.at(field).notNegative(spec?.[field]);
  checks.at("completionMode").oneOf(spec?.completionMode, ["NonIndexed", "Indexed"]);
  if (spec?.completionMode === "Indexed" && spec.completions === undefined) {
    checks.at("completions").required("when completion mode is Indexed");
  }
  const at = checks.at("template");
  validateTemplate(spec?.template, at);
  const { restartPolicy } = spec?.template.spec ?? {};
  // Always is the default of pods and not allowed in jobs, so the client must choose.
  if (restartPolicy === "Always")
    at.at("spec", "restartPolicy").required('valid values: "OnFailure", "Never"');
  else at.at("spec", "restartPolicy").oneOf(restartPolicy, ["OnFailure", "Never"]);
}

function validateUpdate(object: Draft, old: KubeObject): fieldErrors.FieldError[] {
  const checks = new Checks("spec");
  const [now, before] = [as<Job>(object).spec, as<Job>(old).spec];
  const fields = [
    "selector",
    "template",
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
  ] as const;
  const resized = !same(now?.completions, before?.completions);
  if (now?.completionMode !== "Indexed") {
    checks.at("completions").unchanged(now?.completions, before?.completions);
  } else if (resized && now.completions !== now.parallelism) {
    checks.at("completions").invalid(now.completions, "can only be modified in tandem with spec.parallelism");
  }
  // The template of a suspended job that never started may change.
  const waits = before?.suspend === true && !as<Job>(old).status?.startTime;
  for (const field of fields) {
    if (field !== "template" || !waits) checks.at(field).unchanged(now?.[field], before?.[field]);
  }
  return checks.errors;
}

function statusOf(object: KubeObject): string {
  const { status, metadata } = as<Job>(object);
  const is = (type: string): boolean =>
    status?.conditions?.some((each) => each.type === type && each.status === "True") === true;
  if (is("Complete")) return "Complete";
  if (is("Failed")) return "Failed";
  if (metadata?.deletionTimestamp) return "Terminating";
  if (is("Suspended")) return "Suspended";
  return is("FailureTarget") ? "FailureTarget" : "Running";
}

function completions(object: KubeObject): string {
  const { spec, status } = as<Job>(object);
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration(object: KubeObject, now: number): string {
  const { startTime, completionTime } = as<Job>(object).status ?? {};
  if (!startTime) return "";
  return formatAge((completionTime ? Date.parse(completionTime) : now) - Date.parse(startTime));
}
