/** Autoscalers in both versions, and the `scale` subresource of other kinds. */
export const autoscaling = `
group autoscaling/v2 io.k8s.api.autoscaling.v2

alias MetricSourceType string
alias MetricTargetType string
alias ScalingPolicySelect string
alias HPAScalingPolicyType string
alias HorizontalPodAutoscalerConditionType string

kind HorizontalPodAutoscaler                  # Keeps the number of pods fit for the load. Stored only: nothing is scaled here.
  metadata                    1 ObjectMeta
  spec                        2 HorizontalPodAutoscalerSpec
  status                      3 HorizontalPodAutoscalerStatus

type HorizontalPodAutoscalerSpec              # Scale target, limits and metrics.
  scaleTargetRef              1 CrossVersionObjectReference!
  minReplicas                 2 int32? =1     # The smallest number.
  maxReplicas                 3 int32!        # The largest number.
  metrics                     4 [MetricSpec]  # Metrics that determine the number of replicas.
  behavior                    5 HorizontalPodAutoscalerBehavior?

type CrossVersionObjectReference              # The object that is scaled or measured.
  kind                        1 string!
  name                        2 string!
  apiVersion                  3 string

type MetricSpec                               # Source of a metric: exactly one of the fields is set.
  type                        1 MetricSourceType!
  object                      2 ObjectMetricSource?
  pods                        3 PodsMetricSource?
  resource                    4 ResourceMetricSource?
  containerResource           7 ContainerResourceMetricSource?
  external                    5 ExternalMetricSource?

type ObjectMetricSource                       # Metric of an object.
  describedObject             1 CrossVersionObjectReference!
  target                      2 MetricTarget!
  metric                      3 MetricIdentifier!

type MetricTarget                             # Target value of a metric.
  type                        1 MetricTargetType!
  value                       2 quantity?
  averageValue                3 quantity?
  averageUtilization          4 int32?

type MetricIdentifier                         # Metric by name and selector.
  name                        1 string!
  selector                    2 LabelSelector?

type PodsMetricSource                         # Metric of each pod.
  metric                      1 MetricIdentifier!
  target                      2 MetricTarget!

type ResourceMetricSource                     # Memory or CPU of the pods.
  name                        1 core/v1.ResourceName!
  target                      2 MetricTarget!

type ContainerResourceMetricSource            # Memory or CPU of one container in each pod.
  name                        1 core/v1.ResourceName!
  target                      2 MetricTarget!
  container                   3 string!

type ExternalMetricSource                     # Metric from outside the cluster.
  metric                      1 MetricIdentifier!
  target                      2 MetricTarget!

type HorizontalPodAutoscalerBehavior          # Scaling rules for both directions.
  scaleUp                     1 HPAScalingRules?
  scaleDown                   2 HPAScalingRules?

type HPAScalingRules                          # Scaling rules for one direction.
  stabilizationWindowSeconds  3 int32?
  selectPolicy                1 ScalingPolicySelect?
  policies                    2 [HPAScalingPolicy]
  tolerance                   4 quantity?

type HPAScalingPolicy                         # Limit of change in a period.
  type                        1 HPAScalingPolicyType!
  value                       2 int32!
  periodSeconds               3 int32!

type HorizontalPodAutoscalerStatus            # Current metrics and desired replicas.
  observedGeneration          1 int64?        # The generation that this is about.
  lastScaleTime               2 time?
  currentReplicas             3 int32
  desiredReplicas             4 int32!
  currentMetrics              5 [MetricStatus]*
  conditions                  6 [HorizontalPodAutoscalerCondition] map(type) merge(type) # Conditions of its state.

type MetricStatus                             # Current value of a metric: exactly one source is set.
  type                        1 MetricSourceType!
  object                      2 ObjectMetricStatus?
  pods                        3 PodsMetricStatus?
  resource                    4 ResourceMetricStatus?
  containerResource           7 ContainerResourceMetricStatus?
  external                    5 ExternalMetricStatus?

type ObjectMetricStatus                       # Metric of an object.
  metric                      1 MetricIdentifier!
  current                     2 MetricValueStatus!
  describedObject             3 CrossVersionObjectReference!

type MetricValueStatus                        # Current value of a metric.
  value                       1 quantity?
  averageValue                2 quantity?
  averageUtilization          3 int32?

type PodsMetricStatus                         # Metric of each pod.
  metric                      1 MetricIdentifier!
  current                     2 MetricValueStatus!

type ResourceMetricStatus                     # Memory or CPU of the pods.
  name                        1 core/v1.ResourceName!
  current                     2 MetricValueStatus!

type ContainerResourceMetricStatus            # Memory or CPU of one container in each pod.
  name                        1 core/v1.ResourceName!
  current                     2 MetricValueStatus!
  container                   3 string!

type ExternalMetricStatus                     # Metric from outside the cluster.
  metric                      1 MetricIdentifier!
  current                     2 MetricValueStatus!

type HorizontalPodAutoscalerCondition         # Condition of an autoscaler.
  type                        1 HorizontalPodAutoscalerConditionType!
  status                      2 core/v1.ConditionStatus!
  lastTransitionTime          3 time          # Time of the last change of the status.
  reason                      4 string        # Machine-readable reason, one CamelCase word.
  message                     5 string        # Human-readable explanation.

group autoscaling/v1 io.k8s.api.autoscaling.v1

kind HorizontalPodAutoscaler                  # Keeps the number of pods fit for the load. Stored only: nothing is scaled here.
  metadata                    1 ObjectMeta
  spec                        2 HorizontalPodAutoscalerSpec
  status                      3 HorizontalPodAutoscalerStatus

type HorizontalPodAutoscalerSpec              # Scale target, limits and CPU utilization.
  scaleTargetRef              1 CrossVersionObjectReference!
  minReplicas                 2 int32? =1     # The smallest number.
  maxReplicas                 3 int32!        # The largest number.
  targetCPUUtilizationPercentage 4 int32?     # Average CPU utilization to keep, in percent of what the pods request.

type CrossVersionObjectReference atomic       # The object that is scaled.
  kind                        1 string!
  name                        2 string!
  apiVersion                  3 string

type HorizontalPodAutoscalerStatus            # Current utilization and desired replicas.
  observedGeneration          1 int64?        # The generation that this is about.
  lastScaleTime               2 time?
  currentReplicas             3 int32!
  desiredReplicas             4 int32!
  currentCPUUtilizationPercentage 5 int32?

kind Scale                                    # Desired and current number of replicas.
  metadata                    1 ObjectMeta
  spec                        2 ScaleSpec
  status                      3 ScaleStatus

type ScaleSpec                                # Desired number of replicas.
  replicas                    1 int32 published # The number.

type ScaleStatus                              # Current number of replicas.
  replicas                    1 int32!        # The number.
  selector                    2 string        # The labels by which to find them.
`;
