/** Deployments, stateful sets, daemon sets and replica sets. */
export const apps = `
group apps/v1 io.k8s.api.apps.v1

alias DeploymentStrategyType string in(Recreate,RollingUpdate)
alias DeploymentConditionType string
alias PodManagementPolicyType string in(OrderedReady,Parallel)
alias StatefulSetUpdateStrategyType string in(OnDelete,RollingUpdate)
alias PersistentVolumeClaimRetentionPolicyType string
alias StatefulSetConditionType string
alias DaemonSetUpdateStrategyType string in(OnDelete,RollingUpdate)
alias DaemonSetConditionType string
alias ReplicaSetConditionType string

kind Deployment                               # Keeps pods running and replaces them bit by bit. Stored only: nothing makes pods here.
  metadata                    1 ObjectMeta
  spec                        2 DeploymentSpec
  status                      3 DeploymentStatus

type DeploymentSpec                           # Desired state of a workload: replicas, selector, template and update strategy.
  replicas                    1 int32? =1     # Desired number of pods.
  selector                    2 LabelSelector? required
  template                    3 core/v1.PodTemplateSpec!
  strategy                    4 DeploymentStrategy retainKeys
  minReadySeconds             5 int32         # Seconds a pod must be ready before it counts as available.
  revisionHistoryLimit        6 int32? =10    # Number of old replica sets to keep.
  paused                      7 bool          # Changes are not rolled out.
  progressDeadlineSeconds     9 int32? =600   # Seconds without progress until a rollout counts as failed.

type DeploymentStrategy                       # Strategy for replacing pods.
  type                        1 DeploymentStrategyType =RollingUpdate # Recreate or RollingUpdate.
  rollingUpdate               2 RollingUpdateDeployment?

type RollingUpdateDeployment                  # Limits of a rolling update.
  maxUnavailable              1 intOrString? =25% # Maximum number of unavailable pods, as a number or percentage.
  maxSurge                    2 intOrString? =25% # Maximum number of pods above the desired number, as a number or percentage.

type DeploymentStatus                         # Number of pods.
  observedGeneration          1 int64         # The generation that this is about.
  replicas                    2 int32
  updatedReplicas             3 int32         # Number of pods made from the newest template.
  readyReplicas               7 int32         # Number of ready pods.
  availableReplicas           4 int32         # Number of pods that have been ready for minReadySeconds.
  unavailableReplicas         5 int32         # Number of unavailable pods.
  terminatingReplicas         9 int32?
  conditions                  6 [DeploymentCondition] map(type) merge(type) # Conditions of its state.
  collisionCount              8 int32?        # Number of hash collisions of names.

type DeploymentCondition                      # Condition of a deployment.
  type                        1 DeploymentConditionType!
  status                      2 core/v1.ConditionStatus!
  lastUpdateTime              6 time          # Time of the last update.
  lastTransitionTime          7 time          # Time of the last change of the status.
  reason                      4 string        # Machine-readable reason, one CamelCase word.
  message                     5 string        # Human-readable explanation.

kind StatefulSet                              # Keeps pods with names and storage of their own. Stored only: nothing makes pods here.
  metadata                    1 ObjectMeta
  spec                        2 StatefulSetSpec
  status                      3 StatefulSetStatus

type StatefulSetSpec                          # Desired state of a workload: replicas, selector, template and update strategy.
  replicas                    1 int32? =1     # Desired number of pods.
  selector                    2 LabelSelector? required
  template                    3 core/v1.PodTemplateSpec!
  volumeClaimTemplates        4 [core/v1.PersistentVolumeClaim] # The claims that each pod gets.
  serviceName                 5 string*       # The service that gives the pods their names.
  podManagementPolicy         6 PodManagementPolicyType =OrderedReady # OrderedReady (one by one) or Parallel.
  updateStrategy              7 StatefulSetUpdateStrategy
  revisionHistoryLimit        8 int32? =10    # Number of old revisions to keep.
  minReadySeconds             9 int32         # Seconds a pod must be ready before it counts as available.
  persistentVolumeClaimRetentionPolicy 10 StatefulSetPersistentVolumeClaimRetentionPolicy? ={"whenDeleted":"Retain","whenScaled":"Retain"}
  ordinals                   11 StatefulSetOrdinals?

type StatefulSetUpdateStrategy                # Strategy for replacing pods.
  type                        1 StatefulSetUpdateStrategyType # RollingUpdate or OnDelete.
  rollingUpdate               2 RollingUpdateStatefulSetStrategy?

type RollingUpdateStatefulSetStrategy         # Rolling update of a stateful set.
  partition                   1 int32? =0     # Pods with lower numbers stay as they are.
  maxUnavailable              2 intOrString?

type StatefulSetPersistentVolumeClaimRetentionPolicy # Retention of volume claims.
  whenDeleted                 1 PersistentVolumeClaimRetentionPolicyType =Retain
  whenScaled                  2 PersistentVolumeClaimRetentionPolicyType =Retain

type StatefulSetOrdinals                      # Numbering of pods.
  start                       1 int32*

type StatefulSetStatus                        # Number of pods.
  observedGeneration          1 int64         # The generation that this is about.
  replicas                    2 int32!
  readyReplicas               3 int32         # Number of ready pods.
  currentReplicas             4 int32
  updatedReplicas             5 int32         # Number of pods made from the newest template.
  currentRevision             6 string
  updateRevision              7 string
  collisionCount              9 int32?        # Number of hash collisions of names.
  conditions                 10 [StatefulSetCondition] map(type) merge(type) # Conditions of its state.
  availableReplicas          11 int32*        # Number of pods that have been ready for minReadySeconds.

type StatefulSetCondition                     # Condition of a stateful set.
  type                        1 StatefulSetConditionType!
  status                      2 core/v1.ConditionStatus!
  lastTransitionTime          3 time          # Time of the last change of the status.
  reason                      4 string        # Machine-readable reason, one CamelCase word.
  message                     5 string        # Human-readable explanation.

kind DaemonSet                                # Keeps a pod on every node. Stored only: nothing makes pods here.
  metadata                    1 ObjectMeta
  spec                        2 DaemonSetSpec
  status                      3 DaemonSetStatus

type DaemonSetSpec                            # Desired state: selector, template and update strategy.
  selector                    1 LabelSelector? required
  template                    2 core/v1.PodTemplateSpec!
  updateStrategy              3 DaemonSetUpdateStrategy
  minReadySeconds             4 int32         # Seconds a pod must be ready before it counts as available.
  revisionHistoryLimit        6 int32? =10    # Number of old revisions to keep.

type DaemonSetUpdateStrategy                  # Strategy for replacing pods.
  type                        1 DaemonSetUpdateStrategyType =RollingUpdate # RollingUpdate or OnDelete.
  rollingUpdate               2 RollingUpdateDaemonSet?

type RollingUpdateDaemonSet                   # Limits of a rolling update.
  maxUnavailable              1 intOrString? =1
  maxSurge                    2 intOrString? =0

type DaemonSetStatus                          # Number of nodes with pods.
  currentNumberScheduled      1 int32!
  numberMisscheduled          2 int32!
  desiredNumberScheduled      3 int32!
  numberReady                 4 int32!
  observedGeneration          5 int64         # The generation that this is about.
  updatedNumberScheduled      6 int32
  numberAvailable             7 int32
  numberUnavailable           8 int32
  collisionCount              9 int32?        # Number of hash collisions of names.
  conditions                 10 [DaemonSetCondition] map(type) merge(type) # Conditions of its state.

type DaemonSetCondition                       # Condition of a daemon set.
  type                        1 DaemonSetConditionType!
  status                      2 core/v1.ConditionStatus!
  lastTransitionTime          3 time          # Time of the last change of the status.
  reason                      4 string        # Machine-readable reason, one CamelCase word.
  message                     5 string        # Human-readable explanation.

kind ReplicaSet                               # Keeps a number of pods. Stored only: nothing makes pods here.
  metadata                    1 ObjectMeta
  spec                        2 ReplicaSetSpec
  status                      3 ReplicaSetStatus

type ReplicaSetSpec                           # Desired state: replicas, selector and template.
  replicas                    1 int32? =1     # Desired number of pods.
  minReadySeconds             4 int32         # Seconds a pod must be ready before it counts as available.
  selector                    2 LabelSelector? required
  template                    3 core/v1.PodTemplateSpec

type ReplicaSetStatus                         # Number of pods.
  replicas                    1 int32!
  fullyLabeledReplicas        2 int32         # Number of pods that have all labels of the template.
  readyReplicas               4 int32         # Number of ready pods.
  availableReplicas           5 int32         # Number of pods that have been ready for minReadySeconds.
  terminatingReplicas         7 int32?
  observedGeneration          3 int64         # The generation that this is about.
  conditions                  6 [ReplicaSetCondition] map(type) merge(type) # Conditions of its state.

type ReplicaSetCondition                      # Condition of a replica set.
  type                        1 ReplicaSetConditionType!
  status                      2 core/v1.ConditionStatus!
  lastTransitionTime          3 time          # Time of the last change of the status.
  reason                      4 string        # Machine-readable reason, one CamelCase word.
  message                     5 string        # Human-readable explanation.

kind ControllerRevision                       # Snapshot of the state of a workload, used for rollbacks.
  metadata                    1 ObjectMeta
  data                        2 any           # The state.
  revision                    3 int64!        # Its number.
`;
