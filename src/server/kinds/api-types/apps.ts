/** What keeps pods running. */
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

type DeploymentSpec                           # How many pods there should be, which, and how they are replaced.
  replicas                    1 int32? =1     # How many pods there should be.
  selector                    2 LabelSelector? required
  template                    3 core/v1.PodTemplateSpec!
  strategy                    4 DeploymentStrategy retainKeys
  minReadySeconds             5 int32         # How long a pod has to be ready to count.
  revisionHistoryLimit        6 int32? =10    # How many earlier replica sets are kept.
  paused                      7 bool          # Whether changes wait.
  progressDeadlineSeconds     9 int32? =600   # How long a change may stand still before it is told as failed.

type DeploymentStrategy                       # How pods are replaced.
  type                        1 DeploymentStrategyType =RollingUpdate # Recreate or RollingUpdate.
  rollingUpdate               2 RollingUpdateDeployment?

type RollingUpdateDeployment                  # How many pods may be missing or too many meanwhile.
  maxUnavailable              1 intOrString? =25% # How many may be missing, as a number or percentage.
  maxSurge                    2 intOrString? =25% # How many there may be too many, as a number or percentage.

type DeploymentStatus                         # How many pods there are.
  observedGeneration          1 int64         # The generation that this is about.
  replicas                    2 int32
  updatedReplicas             3 int32         # How many pods are of the newest kind.
  readyReplicas               7 int32         # How many pods are ready.
  availableReplicas           4 int32         # How many pods have been ready for long enough.
  unavailableReplicas         5 int32         # How many pods are missing.
  terminatingReplicas         9 int32?
  conditions                  6 [DeploymentCondition] map(type) merge(type) # What can be said about its state.
  collisionCount              8 int32?        # How often a name was taken.

type DeploymentCondition                      # One thing that can be said about the state of a deployment.
  type                        1 DeploymentConditionType!
  status                      2 core/v1.ConditionStatus!
  lastUpdateTime              6 time          # When it was last written.
  lastTransitionTime          7 time          # When the status last changed.
  reason                      4 string        # Why, in one word for programs.
  message                     5 string        # Why, in words for people.

kind StatefulSet                              # Keeps pods with names and storage of their own. Stored only: nothing makes pods here.
  metadata                    1 ObjectMeta
  spec                        2 StatefulSetSpec
  status                      3 StatefulSetStatus

type StatefulSetSpec                          # How many pods there should be, which, and how they are replaced.
  replicas                    1 int32? =1     # How many pods there should be.
  selector                    2 LabelSelector? required
  template                    3 core/v1.PodTemplateSpec!
  volumeClaimTemplates        4 [core/v1.PersistentVolumeClaim] # The claims that each pod gets.
  serviceName                 5 string*       # The service that gives the pods their names.
  podManagementPolicy         6 PodManagementPolicyType =OrderedReady # OrderedReady (one by one) or Parallel.
  updateStrategy              7 StatefulSetUpdateStrategy
  revisionHistoryLimit        8 int32? =10    # How many earlier revisions are kept.
  minReadySeconds             9 int32         # How long a pod has to be ready to count.
  persistentVolumeClaimRetentionPolicy 10 StatefulSetPersistentVolumeClaimRetentionPolicy? ={"whenDeleted":"Retain","whenScaled":"Retain"}
  ordinals                   11 StatefulSetOrdinals?

type StatefulSetUpdateStrategy                # How pods are replaced.
  type                        1 StatefulSetUpdateStrategyType # RollingUpdate or OnDelete.
  rollingUpdate               2 RollingUpdateStatefulSetStrategy?

type RollingUpdateStatefulSetStrategy         # How far pods are replaced, one by one.
  partition                   1 int32? =0     # Pods with lower numbers stay as they are.
  maxUnavailable              2 intOrString?

type StatefulSetPersistentVolumeClaimRetentionPolicy # What becomes of the claims of pods that go.
  whenDeleted                 1 PersistentVolumeClaimRetentionPolicyType =Retain
  whenScaled                  2 PersistentVolumeClaimRetentionPolicyType =Retain

type StatefulSetOrdinals                      # How pods are numbered.
  start                       1 int32*

type StatefulSetStatus                        # How many pods there are.
  observedGeneration          1 int64         # The generation that this is about.
  replicas                    2 int32!
  readyReplicas               3 int32         # How many pods are ready.
  currentReplicas             4 int32
  updatedReplicas             5 int32         # How many pods are of the newest kind.
  currentRevision             6 string
  updateRevision              7 string
  collisionCount              9 int32?        # How often a name was taken.
  conditions                 10 [StatefulSetCondition] map(type) merge(type) # What can be said about its state.
  availableReplicas          11 int32*        # How many pods have been ready for long enough.

type StatefulSetCondition                     # One thing that can be said about the state of a stateful set.
  type                        1 StatefulSetConditionType!
  status                      2 core/v1.ConditionStatus!
  lastTransitionTime          3 time          # When the status last changed.
  reason                      4 string        # Why, in one word for programs.
  message                     5 string        # Why, in words for people.

kind DaemonSet                                # Keeps a pod on every node. Stored only: nothing makes pods here.
  metadata                    1 ObjectMeta
  spec                        2 DaemonSetSpec
  status                      3 DaemonSetStatus

type DaemonSetSpec                            # Which pods, and how they are replaced.
  selector                    1 LabelSelector? required
  template                    2 core/v1.PodTemplateSpec!
  updateStrategy              3 DaemonSetUpdateStrategy
  minReadySeconds             4 int32         # How long a pod has to be ready to count.
  revisionHistoryLimit        6 int32? =10    # How many earlier revisions are kept.

type DaemonSetUpdateStrategy                  # How pods are replaced.
  type                        1 DaemonSetUpdateStrategyType =RollingUpdate # RollingUpdate or OnDelete.
  rollingUpdate               2 RollingUpdateDaemonSet?

type RollingUpdateDaemonSet                   # How many pods may be missing or too many meanwhile.
  maxUnavailable              1 intOrString? =1
  maxSurge                    2 intOrString? =0

type DaemonSetStatus                          # On how many nodes there are pods.
  currentNumberScheduled      1 int32!
  numberMisscheduled          2 int32!
  desiredNumberScheduled      3 int32!
  numberReady                 4 int32!
  observedGeneration          5 int64         # The generation that this is about.
  updatedNumberScheduled      6 int32
  numberAvailable             7 int32
  numberUnavailable           8 int32
  collisionCount              9 int32?        # How often a name was taken.
  conditions                 10 [DaemonSetCondition] map(type) merge(type) # What can be said about its state.

type DaemonSetCondition                       # One thing that can be said about the state of a daemon set.
  type                        1 DaemonSetConditionType!
  status                      2 core/v1.ConditionStatus!
  lastTransitionTime          3 time          # When the status last changed.
  reason                      4 string        # Why, in one word for programs.
  message                     5 string        # Why, in words for people.

kind ReplicaSet                               # Keeps a number of pods. Stored only: nothing makes pods here.
  metadata                    1 ObjectMeta
  spec                        2 ReplicaSetSpec
  status                      3 ReplicaSetStatus

type ReplicaSetSpec                           # How many pods there should be, and which.
  replicas                    1 int32? =1     # How many pods there should be.
  minReadySeconds             4 int32         # How long a pod has to be ready to count.
  selector                    2 LabelSelector? required
  template                    3 core/v1.PodTemplateSpec

type ReplicaSetStatus                         # How many pods there are.
  replicas                    1 int32!
  fullyLabeledReplicas        2 int32         # How many pods have all labels of the template.
  readyReplicas               4 int32         # How many pods are ready.
  availableReplicas           5 int32         # How many pods have been ready for long enough.
  terminatingReplicas         7 int32?
  observedGeneration          3 int64         # The generation that this is about.
  conditions                  6 [ReplicaSetCondition] map(type) merge(type) # What can be said about its state.

type ReplicaSetCondition                      # One thing that can be said about the state of a replica set.
  type                        1 ReplicaSetConditionType!
  status                      2 core/v1.ConditionStatus!
  lastTransitionTime          3 time          # When the status last changed.
  reason                      4 string        # Why, in one word for programs.
  message                     5 string        # Why, in words for people.

kind ControllerRevision                       # A state that can be gone back to.
  metadata                    1 ObjectMeta
  data                        2 any           # The state.
  revision                    3 int64!        # Its number.
`;
