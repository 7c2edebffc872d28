/** Limit ranges and resource quotas. */
export const quotas = `
group core/v1 io.k8s.api.core.v1

alias LimitType string
alias ResourceQuotaScope string in(BestEffort,CrossNamespacePodAffinity,NotBestEffort,NotTerminating,PriorityClass,Terminating,VolumeAttributesClass)
alias ScopeSelectorOperator string in(DoesNotExist,Exists,In,NotIn)

kind LimitRange                               # Limits for requests of pods. Stored only: nothing enforces it here.
  metadata                    1 ObjectMeta
  spec                        2 LimitRangeSpec

type LimitRangeSpec                           # The bounds.
  limits                      1 [LimitRangeItem]! # The bounds for each kind of thing.

type LimitRangeItem                           # The bounds for one kind of thing.
  type                        1 LimitType!
  max                         2 {quantity}
  min                         3 {quantity}
  default                     4 {quantity}
  defaultRequest              5 {quantity}
  maxLimitRequestRatio        6 {quantity}

kind ResourceQuota                            # Limits for the total use of a namespace. Stored only: nothing enforces it here.
  metadata                    1 ObjectMeta
  spec                        2 ResourceQuotaSpec
  status                      3 ResourceQuotaStatus

type ResourceQuotaSpec                        # The bounds.
  hard                        1 {quantity}    # The bounds.
  scopes                      2 [ResourceQuotaScope]
  scopeSelector               3 ScopeSelector?

type ScopeSelector atomic                     # Scopes by expression; all must hold.
  matchExpressions            1 [ScopedResourceSelectorRequirement]

type ScopedResourceSelectorRequirement        # Requirement on what counts.
  scopeName                   1 ResourceQuotaScope!
  operator                    2 ScopeSelectorOperator!
  values                      3 [string]

type ResourceQuotaStatus                      # The bounds and what is used.
  hard                        1 {quantity}    # The bounds.
  used                        2 {quantity}    # Used amount of each resource.
`;
