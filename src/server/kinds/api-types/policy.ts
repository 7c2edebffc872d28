/** How many pods may be missing. */
export const policy = `
group policy/v1 io.k8s.api.policy.v1

alias UnhealthyPodEvictionPolicyType string in(AlwaysAllow,IfHealthyBudget)

kind PodDisruptionBudget                      # How many pods may be missing at a time. Stored only: nobody enforces it here.
  metadata                    1 ObjectMeta
  spec                        2 PodDisruptionBudgetSpec
  status                      3 PodDisruptionBudgetStatus

type PodDisruptionBudgetSpec                  # Which pods, and how many.
  minAvailable                1 intOrString?  # How many have to be there, as a number or percentage.
  selector                    2 LabelSelector? replace
  maxUnavailable              3 intOrString?  # How many may be missing, as a number or percentage.
  unhealthyPodEvictionPolicy  4 UnhealthyPodEvictionPolicyType?

type PodDisruptionBudgetStatus                # How many may go now.
  observedGeneration          1 int64         # The generation that this is about.
  disruptedPods               2 {time}
  disruptionsAllowed          3 int32!        # How many may go now.
  currentHealthy              4 int32!
  desiredHealthy              5 int32!
  expectedPods                6 int32!
  conditions                  7 [Condition] map(type) merge(type) # What can be said about its state.
`;
