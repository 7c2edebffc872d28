/** What runs to an end, once or at given times. */
export const batch = `
group batch/v1 io.k8s.api.batch.v1

alias CompletionMode string in(Indexed,NonIndexed)
alias PodReplacementPolicy string in(Failed,TerminatingOrFailed)
alias PodFailurePolicyAction string in(Count,FailIndex,FailJob,Ignore)
alias PodFailurePolicyOnExitCodesOperator string in(In,NotIn)
alias JobConditionType string
alias ConcurrencyPolicy string in(Allow,Forbid,Replace)

kind Job                                      # Runs pods until they succeed. Stored only: nothing makes pods here.
  metadata                    1 ObjectMeta
  spec                        2 JobSpec
  status                      3 JobStatus

type JobSpec                                  # What is to be run, how often, and when to give up.
  parallelism                 1 int32?        # How many pods run at a time.
  completions                 2 int32?        # How many pods have to succeed.
  activeDeadlineSeconds       3 int64?        # How long the job may take in all.
  podFailurePolicy           11 PodFailurePolicy?
  successPolicy              16 SuccessPolicy?
  backoffLimit                7 int32?        # How many failures there may be.
  backoffLimitPerIndex       12 int32?
  maxFailedIndexes           13 int32?
  selector                    4 LabelSelector?
  manualSelector              5 bool?  # Whether the selector is not made by the server.
  template                    6 core/v1.PodTemplateSpec!
  ttlSecondsAfterFinished     8 int32?        # How long the job is kept when it is over.
  completionMode              9 CompletionMode? # NonIndexed or Indexed.
  suspend                    10 bool?  # Whether no pods are made for now.
  podReplacementPolicy       14 PodReplacementPolicy?
  managedBy                  15 string?

type PodFailurePolicy                         # What failures of pods mean.
  rules                       1 [PodFailurePolicyRule]!

type PodFailurePolicyRule                     # What one kind of failure means.
  action                      1 PodFailurePolicyAction!
  onExitCodes                 2 PodFailurePolicyOnExitCodesRequirement?
  onPodConditions             3 [PodFailurePolicyOnPodConditionsPattern]

type PodFailurePolicyOnExitCodesRequirement   # A demand on the exit code.
  containerName               1 string?
  operator                    2 PodFailurePolicyOnExitCodesOperator!
  values                      3 [int32]! set

type PodFailurePolicyOnPodConditionsPattern   # A demand on a condition of the pod.
  type                        1 core/v1.PodConditionType!
  status                      2 core/v1.ConditionStatus! =True

type SuccessPolicy                            # When a job has succeeded before all of it has.
  rules                       1 [SuccessPolicyRule]!

type SuccessPolicyRule                        # One way to succeed.
  succeededIndexes            1 string?
  succeededCount              2 int32?

type JobStatus                                # How a job goes.
  conditions                  1 [JobCondition] merge(type) # What can be said about its state.
  startTime                   2 time?         # When the job began.
  completionTime              3 time?         # When the job succeeded.
  active                      4 int32         # How many pods run.
  succeeded                   5 int32         # How many pods succeeded.
  failed                      6 int32         # How many pods failed.
  terminating                11 int32?
  completedIndexes            7 string
  failedIndexes              10 string?
  uncountedTerminatedPods     8 UncountedTerminatedPods?
  ready                       9 int32?

type JobCondition                             # One thing that can be said about the state of a job.
  type                        1 JobConditionType!
  status                      2 core/v1.ConditionStatus!
  lastProbeTime               3 time          # When it was last looked at.
  lastTransitionTime          4 time          # When the status last changed.
  reason                      5 string        # Why, in one word for programs.
  message                     6 string        # Why, in words for people.

type UncountedTerminatedPods                  # Pods that ended and are not counted yet.
  succeeded                   1 [UID] set
  failed                      2 [UID] set

kind CronJob                                  # Runs jobs at given times. Stored only: nothing makes jobs here.
  metadata                    1 ObjectMeta
  spec                        2 CronJobSpec
  status                      3 CronJobStatus

type CronJobSpec                              # What is to be run, and when.
  schedule                    1 string!       # When, as a line of a crontab.
  timeZone                    8 string?       # Where the time is told.
  startingDeadlineSeconds     2 int64?        # How late a job may begin.
  concurrencyPolicy           3 ConcurrencyPolicy =Allow # Allow, Forbid or Replace.
  suspend                     4 bool? =false  # Whether no jobs are made for now.
  jobTemplate                 5 JobTemplateSpec!
  successfulJobsHistoryLimit  6 int32? =3     # How many jobs that went well are kept.
  failedJobsHistoryLimit      7 int32? =1     # How many jobs that failed are kept.

type JobTemplateSpec                          # The jobs that are made.
  metadata                    1 ObjectMeta
  spec                        2 JobSpec

type CronJobStatus                            # Which jobs run, and when the last one began.
  active                      1 [core/v1.ObjectReference]
  lastScheduleTime            4 time?
  lastSuccessfulTime          5 time?
`;
