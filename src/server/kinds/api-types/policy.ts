/** Disruption budgets. */
export const policy = `
group policy/v1 io.k8s.api.policy.v1

alias UnhealthyPodEvictionPolicyType string in(AlwaysAllow,IfHealthyBudget)

kind PodDisruptionBudget                      # Limit of voluntary disruptions of pods. Stored only: nothing enforces it here.
  metadata                    1 ObjectMeta
  spec                        2 PodDisruptionBudgetSpec
  status                      3 PodDisruptionBudgetStatus

kind Eviction                                 # Asks for the deletion of a pod, within its disruption budget.
  metadata                    1 ObjectMeta
  deleteOptions               2 DeleteOptions?

type PodDisruptionBudgetSpec                  # Selected pods and how many must stay available.
  minAvailable                1 intOrString?  # Minimum number of available pods, as a number or percentage.
  selector                    2 LabelSelector? replace
  maxUnavailable              3 intOrString?  # Maximum number of unavailable pods, as a number or percentage.
  unhealthyPodEvictionPolicy  4 UnhealthyPodEvictionPolicyType?

type PodDisruptionBudgetStatus                # Number of pods that may be disrupted now.
  observedGeneration          1 int64         # The generation that this is about.
  disruptedPods               2 {time}
  disruptionsAllowed          3 int32!        # Number of pods that may be disrupted now.
  currentHealthy              4 int32!
  desiredHealthy              5 int32!
  expectedPods                6 int32!
  conditions                  7 [Condition] map(type) merge(type) # Conditions of its state.
`;
