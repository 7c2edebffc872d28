import type { CronJob } from "kubernetes-types/batch/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import {
  age,
  ageColumn,
  column,
  containerColumns,
  nameColumn,
  none,
  selectorCell,
  wide,
} from "../columns.js";
import { as, type KindRules, strategyOf, withoutStatus } from "../kind-rules.js";
import { defaultPodSpec } from "../pods/pod-defaults.js";
import { validateJobSpec } from "./job.js";

export const cronJob: KindRules = {
  columns: [
    nameColumn(),
    column("Schedule", "When jobs begin.", (object) => as<CronJob>(object).spec?.schedule ?? ""),
    column("Timezone", "Where the time is told.", (object) => none(as<CronJob>(object).spec?.timeZone)),
    column(
      "Suspend",
      "Whether no jobs are made for now.",
      (object) => (as<CronJob>(object).spec?.suspend ? "True" : "False"),
      { type: "boolean" },
    ),
    column("Active", "How many jobs run.", (object) => as<CronJob>(object).status?.active?.length ?? 0, {
      type: "integer",
    }),
    column("Last Schedule", "How long ago the last job began.", (object, now) => {
      const { lastScheduleTime } = as<CronJob>(object).status ?? {};
      return lastScheduleTime ? age(lastScheduleTime, now) : none(undefined);
    }),
    ageColumn,
    ...containerColumns((object) => as<CronJob>(object).spec?.jobTemplate.spec?.template.spec),
    column(
      "Selector",
      "Which pods its jobs have.",
      (object) => selectorCell(as<CronJob>(object).spec?.jobTemplate.spec?.selector),
      wide,
    ),
  ],
  defaults(object) {
    // The rest is left for the jobs themselves.
    defaultPodSpec(as<CronJob>(object).spec?.jobTemplate.spec?.template.spec);
  },
  strategy: strategyOf({
    generation: true,
    prepareCreate: withoutStatus,
    validate,
    validateUpdate: validate,
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
  checks.at("startingDeadlineSeconds").notNegative(spec?.startingDeadlineSeconds);
  checks.at("concurrencyPolicy").oneOf(spec?.concurrencyPolicy, ["Allow", "Forbid", "Replace"]);
  validateJobSpec(spec?.jobTemplate.spec, checks.at("jobTemplate", "spec"));
  checks.at("successfulJobsHistoryLimit").notNegative(spec?.successfulJobsHistoryLimit);
  checks.at("failedJobsHistoryLimit").notNegative(spec?.failedJobsHistoryLimit);
  return checks.errors;
}

/** The smallest and largest number of minutes, hours, days, months and days of the week. */
const bounds = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

const words = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)$/i;

function validateSchedule(schedule: string, checks: Checks): void {
  if (schedule === "") {
    checks.required();
    return;
  }
  if (schedule.includes("TZ")) {
    checks.invalid(schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
  if (/^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/.test(schedule)) return;
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== bounds.length) {
    checks.invalid(schedule, `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
    return;
  }
  for (const [index, field] of fields.entries()) {
    const [least = 0, most = 0] = bounds[index] ?? [];
    if (!isCronField(field, least, most)) {
      checks.invalid(
        schedule,
        `${field} is no list of numbers from ${least} to ${most}, of ranges or of steps`,
      );
    }
  }
}

function isCronField(field: string, least: number, most: number): boolean {
  return field.split(",").every((part) => {
    const [range = "", step, ...more] = part.split("/");
    if (more.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) return false;
    if (range === "*" || range === "?") return true;
    const ends = range.split("-");
    return (
      ends.length <= 2 &&
      ends.every(
        (end) => words.test(end) || (/^\d+$/.test(end) && Number(end) >= least && Number(end) <= most),
      )
    );
  });
}
