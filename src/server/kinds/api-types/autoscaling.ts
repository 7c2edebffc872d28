/** autoscaling/v2: autoscalers; autoscaling/v1: only the `scale` subresource of other kinds. */
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

type HorizontalPodAutoscalerSpec              # What is scaled, between which numbers, and by what.
  scaleTargetRef              1 CrossVersionObjectReference!
  minReplicas                 2 int32? =1     # The smallest number.
  maxReplicas                 3 int32!        # The largest number.
  metrics                     4 [MetricSpec]  # What the number follows.
  behavior                    5 HorizontalPodAutoscalerBehavior?

type CrossVersionObjectReference              # The object that is scaled or measured.
  kind                        1 string!
  name                        2 string!
  apiVersion                  3 string

type MetricSpec                               # What is measured: one of these.
  type                        1 MetricSourceType!
  object                      2 ObjectMetricSource?
  pods                        3 PodsMetricSource?
  resource                    4 ResourceMetricSource?
  containerResource           7 ContainerResourceMetricSource?
  external                    5 ExternalMetricSource?

type ObjectMetricSource                       # A figure of an object.
  describedObject             1 CrossVersionObjectReference!
  target                      2 MetricTarget!
  metric                      3 MetricIdentifier!

type MetricTarget                             # What a figure should be.
  type                        1 MetricTargetType!
  value                       2 quantity?
  averageValue                3 quantity?
  averageUtilization          4 int32?

type MetricIdentifier                         # A figure by name.
  name                        1 string!
  selector                    2 LabelSelector?

type PodsMetricSource                         # A figure of each pod.
  metric                      1 MetricIdentifier!
  target                      2 MetricTarget!

type ResourceMetricSource                     # Memory or CPU of the pods.
  name                        1 core/v1.ResourceName!
  target                      2 MetricTarget!

type ContainerResourceMetricSource            # Memory or CPU of one container in each pod.
  name                        1 core/v1.ResourceName!
  target                      2 MetricTarget!
  container                   3 string!

type ExternalMetricSource                     # A figure from elsewhere.
  metric                      1 MetricIdentifier!
  target                      2 MetricTarget!

type HorizontalPodAutoscalerBehavior          # How fast to go up and down.
  scaleUp                     1 HPAScalingRules?
  scaleDown                   2 HPAScalingRules?

type HPAScalingRules                          # How fast to go.
  stabilizationWindowSeconds  3 int32?
  selectPolicy                1 ScalingPolicySelect?
  policies                    2 [HPAScalingPolicy]
  tolerance                   4 quantity?

type HPAScalingPolicy                         # How much may change in a time.
  type                        1 HPAScalingPolicyType!
  value                       2 int32!
  periodSeconds               3 int32!

type HorizontalPodAutoscalerStatus            # What was measured, and how many there should be.
  observedGeneration          1 int64?        # The generation that this is about.
  lastScaleTime               2 time?
  currentReplicas             3 int32
  desiredReplicas             4 int32!
  currentMetrics              5 [MetricStatus]*
  conditions                  6 [HorizontalPodAutoscalerCondition] map(type) merge(type) # What can be said about its state.

type MetricStatus                             # What was measured: one of these.
  type                        1 MetricSourceType!
  object                      2 ObjectMetricStatus?
  pods                        3 PodsMetricStatus?
  resource                    4 ResourceMetricStatus?
  containerResource           7 ContainerResourceMetricStatus?
  external                    5 ExternalMetricStatus?

type ObjectMetricStatus                       # A figure of an object.
  metric                      1 MetricIdentifier!
  current                     2 MetricValueStatus!
  describedObject             3 CrossVersionObjectReference!

type MetricValueStatus                        # What a figure is.
  value                       1 quantity?
  averageValue                2 quantity?
  averageUtilization          3 int32?

type PodsMetricStatus                         # A figure of each pod.
  metric                      1 MetricIdentifier!
  current                     2 MetricValueStatus!

type ResourceMetricStatus                     # Memory or CPU of the pods.
  name                        1 core/v1.ResourceName!
  current                     2 MetricValueStatus!

type ContainerResourceMetricStatus            # Memory or CPU of one container in each pod.
  name                        1 core/v1.ResourceName!
  current                     2 MetricValueStatus!
  container                   3 string!

type ExternalMetricStatus                     # A figure from elsewhere.
  metric                      1 MetricIdentifier!
  current                     2 MetricValueStatus!

type HorizontalPodAutoscalerCondition         # One thing that can be said about the state of an autoscaler.
  type                        1 HorizontalPodAutoscalerConditionType!
  status                      2 core/v1.ConditionStatus!
  lastTransitionTime          3 time          # When the status last changed.
  reason                      4 string        # Why, in one word for programs.
  message                     5 string        # Why, in words for people.

group autoscaling/v1 io.k8s.api.autoscaling.v1

kind Scale                                    # How many there should be of something, and how many there are.
  metadata                    1 ObjectMeta
  spec                        2 ScaleSpec
  status                      3 ScaleStatus

type ScaleSpec                                # How many there should be.
  replicas                    1 int32 published # The number.

type ScaleStatus                              # How many there are.
  replicas                    1 int32!        # The number.
  selector                    2 string        # The labels by which to find them.
`;
