import type { CronJob } from "kubernetes-types/batch/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { ageOf, nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, containerColumns, none, selectorCell, wide } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";
import { defaultPodSpec } from "../pods/pod-defaults.js";
import { cronFault } from "./cron-schedule.js";
import { validateJobSpec } from "./job.js";
import { warnOfMissingPods } from "../pods/pod-warning.js";

export const cronJob: KindRules = {
  columns: [
    nameColumn,
    column("Schedule", "Cron schedule.", (object) => as<CronJob>(object).spec?.schedule ?? ""),
    column("Timezone", "Time zone of the schedule.", (object) => none(as<CronJob>(object).spec?.timeZone)),
    column(
      "Suspend",
      "Suspended: no jobs are created.",
      (object) => (as<CronJob>(object).spec?.suspend ? "True" : "False"),
      { type: "boolean" },
    ),
    column("Active", "Number of running jobs.", (object) => as<CronJob>(object).status?.active?.length ?? 0, {
      type: "integer",
    }),
    column("Last Schedule", "Time since the last job started.", (object, now) => {
      const { lastScheduleTime } = as<CronJob>(object).status ?? {};
      return lastScheduleTime ? ageOf(lastScheduleTime, now) : none(undefined);
    }),
    builtInAgeColumn,
    ...containerColumns((object) => as<CronJob>(object).spec?.jobTemplate.spec?.template.spec),
    column(
      "Selector",
      "Label selector of the pods of its jobs.",
      (object) => selectorCell(as<CronJob>(object).spec?.jobTemplate.spec?.selector),
      wide,
    ),
  ],
  defaults(object) {
    // Defaults of jobs are set when they are created.
    defaultPodSpec(as<CronJob>(object).spec?.jobTemplate.spec?.template.spec);
  },
  strategy: strategyOf({
    generation: true,
    warnings: warnOfMissingPods,
    prepareCreate: resetStatus,
    validate,
  }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const { spec } = as<CronJob>(object);
  const checks = new Checks("spec");
  const name = String(object.metadata["name"] ?? "");
  if (name.length > 52) {
    new Checks("metadata.name", checks.errors).invalid(name, "must be no more than 52 characters");
  }
  validateSchedule(spec?.schedule ?? "", checks.at("schedule"));
  if (spec?.timeZone !== undefined) validateTimeZone(spec.timeZone, checks.at("timeZone"));
  checks.at("startingDeadlineSeconds").notNegative(spec?.startingDeadlineSeconds);
  checks.at("concurrencyPolicy").oneOf(spec?.concurrencyPolicy, ["Allow", "Forbid", "Replace"]);
  validateJobSpec(spec?.jobTemplate.spec, checks.at("jobTemplate", "spec"));
  checks.at("successfulJobsHistoryLimit").notNegative(spec?.successfulJobsHistoryLimit);
  checks.at("failedJobsHistoryLimit").notNegative(spec?.failedJobsHistoryLimit);
  return checks.errors;
}

function validateSchedule(schedule: string, checks: Checks): void {
  if (schedule === "") {
    checks.required();
    return;
  }
  if (schedule.includes("TZ")) {
    checks.invalid(schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
  const fault = cronFault(schedule);
  if (fault !== undefined) checks.invalid(schedule, fault);
}

function validateTimeZone(timeZone: string, checks: Checks): void {
  if (timeZone === "") checks.invalid(timeZone, "timeZone must be nil or non-empty string");
  else if (timeZone.toLowerCase() === "local") {
    checks.invalid(
      timeZone,
      "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
    );
  } else if (!isTimeZone(timeZone)) checks.invalid(timeZone, `unknown time zone ${timeZone}`);
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}
