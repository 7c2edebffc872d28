import type {
  HorizontalPodAutoscaler,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
} from "kubernetes-types/autoscaling/v2.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import { validatePathSegmentName } from "../../../../model/object/names.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, none } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";

export const horizontalPodAutoscaler: KindRules = {
  columns: [
    nameColumn,
    column("Reference", "Scale target.", (object) => {
      const target = as<HorizontalPodAutoscaler>(object).spec?.scaleTargetRef;
      return `${target?.kind ?? ""}/${target?.name ?? ""}`;
    }),
    column("Targets", "Current and target values of the metrics.", targets),
    column("MinPods", "Minimum number of pods.", (object) =>
      String(as<HorizontalPodAutoscaler>(object).spec?.minReplicas ?? "<unset>"),
    ),
    column(
      "MaxPods",
      "Maximum number of pods.",
      (object) => as<HorizontalPodAutoscaler>(object).spec?.maxReplicas ?? 0,
    ),
    column(
      "Replicas",
      "Current number of pods.",
      (object) => as<HorizontalPodAutoscaler>(object).status?.currentReplicas ?? 0,
    ),
    builtInAgeColumn,
  ],
  defaults(object) {
    const { spec } = as<HorizontalPodAutoscaler>(object);
    if (spec === undefined) return;
    if (!spec.metrics?.length) {
      const target = { type: "Utilization", averageUtilization: 80 };
      spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
    }
    if (spec.behavior === undefined) return;
    spec.behavior.scaleUp = { ...defaultScaleUp(), ...spec.behavior.scaleUp };
    spec.behavior.scaleDown = { ...defaultScaleDown(), ...spec.behavior.scaleDown };
  },
  strategy: strategyOf({ prepareCreate: resetStatus, validate }),
};

function defaultScaleUp(): HPAScalingRules {
  const policies = [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ];
  return { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies };
}

function defaultScaleDown(): HPAScalingRules {
  return { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };
}

function validate(object: Draft): fieldErrors.FieldError[] {
  const {
    minReplicas = 1,
    maxReplicas = 0,
    scaleTargetRef,
    metrics = [],
  } = as<HorizontalPodAutoscaler>(object).spec ??
  ({} as Partial<NonNullable<HorizontalPodAutoscaler["spec"]>>);
  const checks = new Checks("spec");
  if (minReplicas < 1) {
    checks.at("minReplicas").invalid(minReplicas, "must be greater than or equal to 1");
    checks
      .at("metrics")
      .forbidden("must specify at least one Object or External metric to support scaling to zero replicas");
  }
  if (maxReplicas < 1) checks.at("maxReplicas").invalid(maxReplicas, "must be greater than 0");
  if (maxReplicas < minReplicas) {
    checks.at("maxReplicas").invalid(maxReplicas, "must be greater than or equal to `minReplicas`");
  }
  for (const field of ["kind", "name"] as const) {
    const value = scaleTargetRef?.[field];
    if (!value) checks.at("scaleTargetRef", field).required();
    else checks.at("scaleTargetRef", field).faults(value, validatePathSegmentName(value));
  }
  const apiVersion = scaleTargetRef?.apiVersion ?? "";
  const isReplicationController = apiVersion === "v1" && scaleTargetRef?.kind === "ReplicationController";
  if (!apiVersion.includes("/") && !isReplicationController) {
    checks.at("scaleTargetRef", "apiVersion").invalid(apiVersion, "apiVersion must specify API group");
  }
  for (const [index, metric] of metrics.entries()) validateMetric(metric, checks.at("metrics", index));
  return checks.errors;
}

const metricSources = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
} as const;

function validateMetric(metric: MetricSpec, checks: Checks): void {
  if (!metric.type) checks.at("type").required("must specify a metric source type");
  if (!Object.hasOwn(metricSources, metric.type)) {
    checks.at("type").oneOf(metric.type, Object.keys(metricSources));
    return;
  }
  const field = metricSources[metric.type as keyof typeof metricSources];
  const source = metric[field];
  if (source === undefined) {
    checks.at(field).required("must populate information for the given metric source");
    return;
  }
  const utilization = source.target?.averageUtilization;
  if (utilization !== undefined && utilization < 1) {
    checks.at(field, "target", "averageUtilization").invalid(utilization, "must be greater than 0");
  }
}

const most = 2;

function targets(object: KubeObject): string {
  const { spec, status } = as<HorizontalPodAutoscaler>(object);
  const all = (spec?.metrics ?? []).map((metric, index) =>
    targetText(metric, status?.currentMetrics?.[index]),
  );
  if (all.length === 0) return none(undefined);
  const first = all.slice(0, most).join(", ");
  return all.length > most ? `${first} + ${all.length - most} more...` : first;
}

function targetText(metric: MetricSpec, status: MetricStatus | undefined): string {
  const source =
    metric.resource ?? metric.containerResource ?? metric.pods ?? metric.object ?? metric.external;
  if (source === undefined) return "<unknown type>";
  const found =
    status?.resource ?? status?.containerResource ?? status?.pods ?? status?.object ?? status?.external;
  const { target } = source;
  const name = "name" in source ? `${source.name}: ` : "";
  const current = found?.current;
  if (target.averageUtilization !== undefined || (name !== "" && target.averageValue === undefined)) {
    return `${name}${percent(current?.averageUtilization, "<unknown>")}/${percent(target.averageUtilization, "<auto>")}`;
  }
  const averaged = target.averageValue !== undefined;
  const value = averaged ? current?.averageValue : current?.value;
  const mark = averaged && (metric.object ?? metric.external) ? " (avg)" : "";
  return `${name}${value ?? "<unknown>"}/${(averaged ? target.averageValue : target.value) ?? ""}${mark}`;
}

function percent(value: number | undefined, otherwise: string): string {
  return value === undefined ? otherwise : `${value}%`;
}
