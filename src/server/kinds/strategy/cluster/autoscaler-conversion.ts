import type * as v1 from "kubernetes-types/autoscaling/v1.js";
import type * as v2 from "kubernetes-types/autoscaling/v2.js";
import type { Draft } from "../../../resources/resource-type.js";
import { normalizeObject } from "../../typed/normalize.js";
import { as } from "../kind-rules.js";
import { metricFromV1, metricToV1, metricStatusFromV1, metricStatusToV1 } from "./autoscaler-metrics.js";

/** Annotations in which v1 keeps what it has no fields for. */
const annotationPrefix = "autoscaling.alpha.kubernetes.io/";
const metricsAnnotation = `${annotationPrefix}metrics`;
const statusAnnotation = `${annotationPrefix}current-metrics`;
const conditionsAnnotation = `${annotationPrefix}conditions`;
const behaviorAnnotation = `${annotationPrefix}behavior`;
const ownAnnotations = [metricsAnnotation, statusAnnotation, conditionsAnnotation, behaviorAnnotation];

const defaultUtilization = 80;

/** Converts a stored autoscaler (v2) to v1. */
export function toAutoscalingV1(object: Draft): Draft {
  const { metadata, spec, status } = as<v2.HorizontalPodAutoscaler>(object);
  const { metrics = [], behavior, ...limits } = spec ?? ({} as Partial<v2.HorizontalPodAutoscalerSpec>);
  const {
    currentMetrics = [],
    conditions = [],
    ...replicas
  } = status ?? ({} as Partial<v2.HorizontalPodAutoscalerStatus>);
  const others = metrics.filter((metric) => cpuUtilization(metric) === undefined);
  const target = metrics.map(cpuUtilization).find((value) => value !== undefined);
  const current = currentMetrics
    .filter(({ type, resource }) => type === "Resource" && resource?.name === "cpu")
    .flatMap(({ resource }) => resource?.current.averageUtilization ?? [])
    .at(-1);
  const annotations = {
    ...withoutOwn(metadata?.annotations),
    ...(others.length > 0 && { [metricsAnnotation]: goJson(others.map(metricToV1)) }),
    ...(currentMetrics.length > 0 && { [statusAnnotation]: goJson(currentMetrics.map(metricStatusToV1)) }),
    ...(behavior && { [behaviorAnnotation]: goJson(capitalizedBehavior(behavior)) }),
    ...(conditions.length > 0 && { [conditionsAnnotation]: goJson(conditions.map(conditionInOrder)) }),
  };
  return converted(object, "autoscaling/v1", annotations, {
    spec: { ...limits, ...(target !== undefined && { targetCPUUtilizationPercentage: target }) },
    status: { ...replicas, ...(current !== undefined && { currentCPUUtilizationPercentage: current }) },
  });
}

/** Converts an autoscaler of v1 to v2. An annotation that is not valid JSON is dropped, as in Kubernetes. */
export function toAutoscalingV2(object: Draft): Draft {
  const { metadata, spec, status } = as<v1.HorizontalPodAutoscaler>(object);
  const { targetCPUUtilizationPercentage: target, ...limits } =
    spec ?? ({} as Partial<v1.HorizontalPodAutoscalerSpec>);
  const { currentCPUUtilizationPercentage: current, ...replicas } =
    status ?? ({} as Partial<v1.HorizontalPodAutoscalerStatus>);
  const annotations = metadata?.annotations ?? {};
  const others = listIn(annotations[metricsAnnotation])?.map(metricFromV1) ?? [];
  const cpu = target ?? (others.length === 0 ? defaultUtilization : undefined);
  const currentMetrics =
    listIn(annotations[statusAnnotation])?.map(metricStatusFromV1) ??
    (current === undefined
      ? []
      : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: current } } }]);
  const conditions = listIn(annotations[conditionsAnnotation]);
  const behavior = parsed(annotations[behaviorAnnotation]);
  return converted(object, "autoscaling/v2", withoutOwn(annotations), {
    spec: {
      ...limits,
      metrics: [...others, ...(cpu === undefined ? [] : [cpuMetric(cpu)])],
      ...(isObject(behavior) && { behavior: uncapitalized(behavior) }),
    },
    status: { ...replicas, currentMetrics, ...(conditions && { conditions }) },
  });
}

/**
 * Brings an autoscaler of v1 into the form in which it will be read: with the utilization that it implies when it names no metric, and
 * without annotations that cannot be converted.
 */
export function normalizeV1(object: Draft): void {
  const { metadata, spec } = as<v1.HorizontalPodAutoscaler>(object);
  for (const name of ownAnnotations) {
    const text = metadata?.annotations?.[name];
    const isValid = name === behaviorAnnotation ? isObject(parsed(text)) : listIn(text) !== undefined;
    if (text !== undefined && !isValid) delete metadata?.annotations?.[name];
  }
  if (Object.keys(metadata?.annotations ?? {}).length === 0) delete object.metadata["annotations"];
  const hasMetrics = listIn(metadata?.annotations?.[metricsAnnotation])?.length;
  if (spec !== undefined && !hasMetrics) spec.targetCPUUtilizationPercentage ??= defaultUtilization;
}

function converted(
  { metadata }: Draft,
  apiVersion: string,
  annotations: Readonly<Record<string, string>>,
  parts: { readonly spec: object; readonly status: object },
): Draft {
  const { annotations: _, ...rest } = metadata;
  const object: Draft = {
    apiVersion,
    kind: "HorizontalPodAutoscaler",
    metadata: Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest,
    ...parts,
  };
  normalizeObject(object);
  return object;
}

function cpuMetric(averageUtilization: number): object {
  const target = { type: "Utilization", averageUtilization };
  return { type: "Resource", resource: { name: "cpu", target } };
}

/** Target of the metric that v1 has a field for. */
function cpuUtilization({ type, resource }: v2.MetricSpec): number | undefined {
  return type === "Resource" && resource?.name === "cpu" ? resource.target.averageUtilization : undefined;
}

function withoutOwn(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !ownAnnotations.includes(name)));
}

/** Behavior with the names of Go's fields, as Kubernetes writes it into the annotation. */
function capitalizedBehavior({ scaleUp, scaleDown }: v2.HorizontalPodAutoscalerBehavior): object {
  return { ScaleUp: capitalizedRules(scaleUp), ScaleDown: capitalizedRules(scaleDown) };
}

function capitalizedRules(rules: v2.HPAScalingRules | undefined): object | null {
  if (rules === undefined) return null;
  const { stabilizationWindowSeconds = null, selectPolicy = null, policies } = rules;
  const { tolerance = null } = rules as { readonly tolerance?: string | null };
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds,
    SelectPolicy: selectPolicy,
    Policies:
      policies?.map(({ type, value, periodSeconds }) => ({
        Type: type,
        Value: value,
        PeriodSeconds: periodSeconds,
      })) ?? null,
    Tolerance: tolerance,
  };
}

/** Changes the first letters of all field names to lower case, and drops nulls. */
function uncapitalized(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(uncapitalized);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([name, inner]) => [name.charAt(0).toLowerCase() + name.slice(1), uncapitalized(inner)]),
  );
}

function conditionInOrder(condition: v2.HorizontalPodAutoscalerCondition): object {
  const { type, status, lastTransitionTime = null, reason, message } = condition;
  return { type, status, lastTransitionTime, ...(reason && { reason }), ...(message && { message }) };
}

function listIn(text: string | undefined): readonly Record<string, unknown>[] | undefined {
  const value = parsed(text);
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isObject) : undefined;
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON as Go writes it, with the characters escaped that matter in HTML. */
function goJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}
