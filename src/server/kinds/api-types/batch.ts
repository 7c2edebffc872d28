/** Jobs and cron jobs. */
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

type JobSpec                                  # Template, completions and retry limits of a job.
  parallelism                 1 int32?        # Maximum number of pods that run at a time.
  completions                 2 int32?        # Number of pods that must succeed.
  activeDeadlineSeconds       3 int64?        # Maximum run time of the job in seconds.
  podFailurePolicy           11 PodFailurePolicy?
  successPolicy              16 SuccessPolicy?
  backoffLimit                7 int32?        # Number of retries before the job fails.
  backoffLimitPerIndex       12 int32?
  maxFailedIndexes           13 int32?
  selector                    4 LabelSelector?
  manualSelector              5 bool?  # The client chooses the selector; otherwise the server generates it.
  template                    6 core/v1.PodTemplateSpec!
  ttlSecondsAfterFinished     8 int32?        # Seconds a finished job is kept.
  completionMode              9 CompletionMode? # NonIndexed or Indexed.
  suspend                    10 bool?  # Create no pods for now.
  podReplacementPolicy       14 PodReplacementPolicy?
  managedBy                  15 string?

type PodFailurePolicy                         # Rules for pod failures.
  rules                       1 [PodFailurePolicyRule]!

type PodFailurePolicyRule                     # Rule for one kind of pod failure.
  action                      1 PodFailurePolicyAction!
  onExitCodes                 2 PodFailurePolicyOnExitCodesRequirement?
  onPodConditions             3 [PodFailurePolicyOnPodConditionsPattern]

type PodFailurePolicyOnExitCodesRequirement   # Requirement on the exit code.
  containerName               1 string?
  operator                    2 PodFailurePolicyOnExitCodesOperator!
  values                      3 [int32]! set

type PodFailurePolicyOnPodConditionsPattern   # Requirement on a condition of the pod.
  type                        1 core/v1.PodConditionType!
  status                      2 core/v1.ConditionStatus! =True

type SuccessPolicy                            # Rules by which a job succeeds early.
  rules                       1 [SuccessPolicyRule]!

type SuccessPolicyRule                        # One way to succeed.
  succeededIndexes            1 string?
  succeededCount              2 int32?

type JobStatus                                # Status of a job.
  conditions                  1 [JobCondition] merge(type) # Conditions of its state.
  startTime                   2 time?         # Start time.
  completionTime              3 time?         # Completion time.
  active                      4 int32         # Number of running pods.
  succeeded                   5 int32         # Number of succeeded pods.
  failed                      6 int32         # Number of failed pods.
  terminating                11 int32?
  completedIndexes            7 string
  failedIndexes              10 string?
  uncountedTerminatedPods     8 UncountedTerminatedPods?
  ready                       9 int32?

type JobCondition                             # Condition of a job.
  type                        1 JobConditionType!
  status                      2 core/v1.ConditionStatus!
  lastProbeTime               3 time          # Time of the last probe.
  lastTransitionTime          4 time          # Time of the last change of the status.
  reason                      5 string        # Machine-readable reason, one CamelCase word.
  message                     6 string        # Human-readable explanation.

type UncountedTerminatedPods                  # Pods that ended and are not counted yet.
  succeeded                   1 [UID] set
  failed                      2 [UID] set

kind CronJob                                  # Runs jobs at given times. Stored only: nothing makes jobs here.
  metadata                    1 ObjectMeta
  spec                        2 CronJobSpec
  status                      3 CronJobStatus

type CronJobSpec                              # Schedule and job template.
  schedule                    1 string!       # Schedule in cron format.
  timeZone                    8 string?       # IANA time zone of the schedule.
  startingDeadlineSeconds     2 int64?        # Seconds a job may start late.
  concurrencyPolicy           3 ConcurrencyPolicy =Allow # Allow, Forbid or Replace.
  suspend                     4 bool? =false  # Create no jobs for now.
  jobTemplate                 5 JobTemplateSpec!
  successfulJobsHistoryLimit  6 int32? =3     # Number of succeeded jobs to keep.
  failedJobsHistoryLimit      7 int32? =1     # Number of failed jobs to keep.

type JobTemplateSpec                          # The jobs that are made.
  metadata                    1 ObjectMeta
  spec                        2 JobSpec

type CronJobStatus                            # Running jobs and the time of the last one.
  active                      1 [core/v1.ObjectReference]
  lastScheduleTime            4 time?
  lastSuccessfulTime          5 time?
`;
