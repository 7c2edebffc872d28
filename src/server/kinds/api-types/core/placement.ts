/** Affinity, tolerations and topology spread of pods. */
export const placement = `
group core/v1 io.k8s.api.core.v1

alias NodeSelectorOperator string in(DoesNotExist,Exists,Gt,In,Lt,NotIn)
alias TolerationOperator string in(Equal,Exists)
alias TaintEffect string in(NoExecute,NoSchedule,PreferNoSchedule)
alias UnsatisfiableConstraintAction string in(DoNotSchedule,ScheduleAnyway)
alias NodeInclusionPolicy string in(Honor,Ignore)

type Affinity                                 # Scheduling preferences of a pod.
  nodeAffinity                1 NodeAffinity?
  podAffinity                 2 PodAffinity?
  podAntiAffinity             3 PodAntiAffinity?

type NodeAffinity                             # Preference for nodes.
  requiredDuringSchedulingIgnoredDuringExecution  1 NodeSelector?
  preferredDuringSchedulingIgnoredDuringExecution  2 [PreferredSchedulingTerm]

type NodeSelector atomic                      # Selects nodes: one of the terms has to fit.
  nodeSelectorTerms           1 [NodeSelectorTerm]!

type NodeSelectorTerm atomic                  # Requirements on a node, all of which have to hold.
  matchExpressions            1 [NodeSelectorRequirement]
  matchFields                 2 [NodeSelectorRequirement]

type NodeSelectorRequirement                  # Requirement on one label or field of a node.
  key                         1 string!
  operator                    2 NodeSelectorOperator!
  values                      3 [string]

type PreferredSchedulingTerm                  # A term and how much it counts.
  weight                      1 int32!
  preference                  2 NodeSelectorTerm!

type PodAffinity                              # Preference for being near certain pods.
  requiredDuringSchedulingIgnoredDuringExecution  1 [PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution  2 [WeightedPodAffinityTerm]

type PodAffinityTerm                          # Pods, and what near them means.
  labelSelector               1 LabelSelector?
  namespaces                  2 [string]
  topologyKey                 3 string!
  namespaceSelector           4 LabelSelector?
  matchLabelKeys              5 [string]
  mismatchLabelKeys           6 [string]

type WeightedPodAffinityTerm                  # A term and how much it counts.
  weight                      1 int32!
  podAffinityTerm             2 PodAffinityTerm!

type PodAntiAffinity                          # Preference for being far from certain pods.
  requiredDuringSchedulingIgnoredDuringExecution  1 [PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution  2 [WeightedPodAffinityTerm]

type Toleration                               # Taint of nodes that a pod tolerates.
  key                         1 string        # The taint; all when empty.
  operator                    2 TolerationOperator # Exists or Equal.
  value                       3 string        # The value that the taint has to have.
  effect                      4 TaintEffect   # The effect; all when empty.
  tolerationSeconds           5 int64?        # For how long.

type TopologySpreadConstraint                 # Rule for spreading pods over topology domains.
  maxSkew                     1 int32!
  topologyKey                 2 string!
  whenUnsatisfiable           3 UnsatisfiableConstraintAction!
  labelSelector               4 LabelSelector?
  minDomains                  5 int32?
  nodeAffinityPolicy          6 NodeInclusionPolicy?
  nodeTaintsPolicy            7 NodeInclusionPolicy?
  matchLabelKeys              8 [string]

type TopologySelectorTerm atomic              # Requirements on the place of a volume.
  matchLabelExpressions       1 [TopologySelectorLabelRequirement]

type TopologySelectorLabelRequirement         # Requirement on one label.
  key                         1 string!
  values                      2 [string]!
`;
