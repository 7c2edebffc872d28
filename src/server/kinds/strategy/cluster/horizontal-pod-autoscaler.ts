import type {
  HorizontalPodAutoscaler,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
} from "kubernetes-types/autoscaling/v2.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { ageColumn, column, nameColumn, none } from "../columns.js";
import { as, type KindRules, strategyOf, withoutStatus } from "../kind-rules.js";

export const horizontalPodAutoscaler: KindRules = {
  columns: [
    nameColumn(),
    column("Reference", "What is scaled.", (object) => {
      const target = as<HorizontalPodAutoscaler>(object).spec?.scaleTargetRef;
      return `${target?.kind ?? ""}/${target?.name ?? ""}`;
    }),
    column("Targets", "What the number follows, and what it is.", targets),
    column("MinPods", "The smallest number.", (object) =>
      String(as<HorizontalPodAutoscaler>(object).spec?.minReplicas ?? "<unset>"),
    ),
    column(
      "MaxPods",
      "The largest number.",
      (object) => as<HorizontalPodAutoscaler>(object).spec?.maxReplicas ?? 0,
    ),
    column(
      "Replicas",
      "How many there are.",
      (object) => as<HorizontalPodAutoscaler>(object).status?.currentReplicas ?? 0,
    ),
    ageColumn,
  ],
  defaults(object) {
    const { spec } = as<HorizontalPodAutoscaler>(object);
    if (spec === undefined) return;
    if (!spec.metrics?.length) {
      const target = { type: "Utilization", averageUtilization: 80 };
      spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
    }
    if (spec.behavior === undefined) return;
    spec.behavior.scaleUp = { ...fastUp(), ...spec.behavior.scaleUp };
    spec.behavior.scaleDown = { ...fastDown(), ...spec.behavior.scaleDown };
  },
  strategy: strategyOf({ prepareCreate: withoutStatus, validate, validateUpdate: validate }),
};

function fastUp(): HPAScalingRules {
  const policies = [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ];
  return { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies };
}

function fastDown(): HPAScalingRules {
  return { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };
}

function validate(object: Draft): fieldErrors.FieldError[] {
  const {
    minReplicas = 1,
    maxReplicas = 0,
    scaleTargetRef,
  } = as<HorizontalPodAutoscaler>(object).spec ??
  ({} as Partial<NonNullable<HorizontalPodAutoscaler["spec"]>>);
  const checks = new Checks("spec");
  if (minReplicas < 1) checks.at("minReplicas").invalid(minReplicas, "must be greater than or equal to 1");
  if (maxReplicas < 1) checks.at("maxReplicas").invalid(maxReplicas, "must be greater than 0");
  if (maxReplicas < minReplicas) {
    checks.at("maxReplicas").invalid(maxReplicas, "must be greater than or equal to `minReplicas`");
  }
  for (const field of ["kind", "name"] as const) {
    if (!scaleTargetRef?.[field]) checks.at("scaleTargetRef", field).required();
  }
  return checks.errors;
}

const most = 2;

function targets(object: KubeObject): string {
  const { spec, status } = as<HorizontalPodAutoscaler>(object);
  const all = (spec?.metrics ?? []).map((metric, index) =>
    targetText(metric, status?.currentMetrics?.[index]),
  );
  if (all.length === 0) return none(undefined);
  const shown = all.slice(0, most).join(", ");
  return all.length > most ? `${shown} + ${all.length - most} more...` : shown;
}

function targetText(metric: MetricSpec, status: MetricStatus | undefined): string {
  const wanted =
    metric.resource ?? metric.containerResource ?? metric.pods ?? metric.object ?? metric.external;
  if (wanted === undefined) return "<unknown type>";
  const found =
    status?.resource ?? status?.containerResource ?? status?.pods ?? status?.object ?? status?.external;
  const { target } = wanted;
  const name = "name" in wanted ? `${wanted.name}: ` : "";
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
