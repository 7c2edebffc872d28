import type * as v2 from "kubernetes-types/autoscaling/v2.js";

/** A metric or its status as JSON. Typed decoding follows, which drops what does not fit. */
type Fields = Readonly<Record<string, unknown>>;

/*
 * Metrics as annotations of autoscaling/v1 have them. Fields are in the order in which Kubernetes writes them, since
 * annotations are compared as text.
 */

export function metricToV1({
  type,
  object,
  pods,
  resource,
  containerResource,
  external,
}: v2.MetricSpec): object {
  return defined({
    type,
    object: object && {
      target: referenceOf(object.describedObject),
      metricName: object.metric.name,
      targetValue: object.target.value ?? "0",
      ...defined({ selector: object.metric.selector, averageValue: object.target.averageValue }),
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? "0",
      ...defined({ selector: pods.metric.selector }),
    },
    resource: resource && { name: resource.name, ...resourceTarget(resource.target) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...resourceTarget(containerResource.target),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      ...defined({
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
    },
  });
}

export function metricFromV1({ type, ...sources }: Fields): object {
  const { object, pods, resource, containerResource, external } = fieldsIn(sources);
  return defined({
    type,
    object: object && {
      describedObject: object["target"],
      target: defined({
        type: object["averageValue"] === undefined ? "Value" : "AverageValue",
        value: object["targetValue"],
        averageValue: object["averageValue"],
      }),
      metric: defined({ name: object["metricName"], selector: object["selector"] }),
    },
    pods: pods && {
      metric: defined({ name: pods["metricName"], selector: pods["selector"] }),
      target: { type: "AverageValue", averageValue: pods["targetAverageValue"] },
    },
    resource: resource && { name: resource["name"], target: resourceTargetFromV1(resource) },
    containerResource: containerResource && {
      name: containerResource["name"],
      target: resourceTargetFromV1(containerResource),
      container: containerResource["container"],
    },
    external: external && {
      metric: defined({ name: external["metricName"], selector: external["metricSelector"] }),
      target: defined({
        type: external["targetValue"] === undefined ? "AverageValue" : "Value",
        value: external["targetValue"],
        averageValue: external["targetAverageValue"],
      }),
    },
  });
}

export function metricStatusToV1(status: v2.MetricStatus): object {
  const { type, object, pods, resource, containerResource, external } = status;
  return defined({
    type,
    object: object && {
      target: referenceOf(object.describedObject),
      metricName: object.metric.name,
      currentValue: object.current.value ?? "0",
      ...defined({ selector: object.metric.selector, averageValue: object.current.averageValue }),
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? "0",
      ...defined({ selector: pods.metric.selector }),
    },
    resource: resource && { name: resource.name, ...resourceStatus(resource.current) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...resourceStatus(containerResource.current),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      ...defined({ metricSelector: external.metric.selector }),
      currentValue: external.current.value ?? "0",
      ...defined({ currentAverageValue: external.current.averageValue }),
    },
  });
}

export function metricStatusFromV1({ type, ...sources }: Fields): object {
  const { object, pods, resource, containerResource, external } = fieldsIn(sources);
  return defined({
    type,
    object: object && {
      metric: defined({ name: object["metricName"], selector: object["selector"] }),
      current: defined({ value: object["currentValue"], averageValue: object["averageValue"] }),
      describedObject: object["target"],
    },
    pods: pods && {
      metric: defined({ name: pods["metricName"], selector: pods["selector"] }),
      current: { averageValue: pods["currentAverageValue"] },
    },
    resource: resource && { name: resource["name"], current: resourceStatusFromV1(resource) },
    containerResource: containerResource && {
      name: containerResource["name"],
      current: resourceStatusFromV1(containerResource),
      container: containerResource["container"],
    },
    external: external && {
      metric: defined({ name: external["metricName"], selector: external["metricSelector"] }),
      current: defined({ value: external["currentValue"], averageValue: external["currentAverageValue"] }),
    },
  });
}

function resourceTarget({ averageUtilization, averageValue }: v2.MetricTarget): object {
  return defined({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue });
}

function resourceTargetFromV1(source: Fields): object {
  const { targetAverageUtilization, targetAverageValue } = source;
  return defined({
    type: targetAverageUtilization === undefined ? "AverageValue" : "Utilization",
    averageValue: targetAverageValue,
    averageUtilization: targetAverageUtilization,
  });
}

function resourceStatus({ averageUtilization, averageValue = "0" }: v2.MetricValueStatus): object {
  return {
    ...defined({ currentAverageUtilization: averageUtilization }),
    currentAverageValue: averageValue,
  };
}

function resourceStatusFromV1({ currentAverageUtilization, currentAverageValue }: Fields): object {
  return defined({ averageValue: currentAverageValue, averageUtilization: currentAverageUtilization });
}

function referenceOf({ kind, name, apiVersion }: v2.CrossVersionObjectReference): object {
  return { kind, name, ...(apiVersion && { apiVersion }) };
}

const sourceNames = ["object", "pods", "resource", "containerResource", "external"] as const;

/** Sources of a metric that are objects. */
function fieldsIn(sources: Fields): Partial<Record<(typeof sourceNames)[number], Fields>> {
  return Object.fromEntries(
    sourceNames.flatMap((name) => {
      const source = sources[name];
      return typeof source === "object" && source !== null ? [[name, source as Fields]] : [];
    }),
  );
}

/** Without the fields that are not set. */
function defined(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
