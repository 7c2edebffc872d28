/** Pods, and what makes many of them in the core group. */
export const pods = `
group core/v1 io.k8s.api.core.v1

alias RestartPolicy string in(Always,Never,OnFailure)
alias DNSPolicy string in(ClusterFirst,ClusterFirstWithHostNet,Default,None)
alias PreemptionPolicy string in(Never,PreemptLowerPriority)
alias SupplementalGroupsPolicy string in(Merge,Strict)
alias PodFSGroupChangePolicy string in(Always,OnRootMismatch)
alias PodSELinuxChangePolicy string
alias PodConditionType string
alias OSName string
alias ReplicationControllerConditionType string

kind Pod                                      # Containers that run together on one node. Stored only: nothing runs them here.
  metadata                    1 ObjectMeta
  spec                        2 PodSpec
  status                      3 PodStatus

type PodSpec                                  # What is to run, and how.
  volumes                     1 [Volume] map(name) merge(name) retainKeys # Storage that the containers can mount.
  initContainers             20 [Container] map(name) merge(name) # Containers that run to their end, one by one, before the others start.
  containers                  2 [Container]! map(name) merge(name) # The containers. There is at least one, and each has a name of its own.
  ephemeralContainers        34 [EphemeralContainer] map(name) merge(name) # Containers added later to look around.
  restartPolicy               3 RestartPolicy =Always # Always, OnFailure or Never.
  terminationGracePeriodSeconds  4 int64? =30 # How long the containers may take to end well.
  activeDeadlineSeconds       5 int64?        # How long the pod may run at all.
  dnsPolicy                   6 DNSPolicy =ClusterFirst # ClusterFirst, ClusterFirstWithHostNet, Default or None.
  nodeSelector                7 {string} atomic # Labels that the node must have.
  serviceAccountName          8 string        # The service account that the pod acts as.
  serviceAccount              9 string        # The same by its older name.
  automountServiceAccountToken 21 bool?       # Whether the pod is given a token of its service account.
  nodeName                   10 string        # The node that the pod runs on.
  hostNetwork                11 bool          # Whether the pod shares the node's network.
  hostPID                    12 bool          # Whether it shares the node's processes.
  hostIPC                    13 bool          # Whether it shares the node's inter-process communication.
  shareProcessNamespace      27 bool?         # Whether the containers see each other's processes.
  securityContext            14 PodSecurityContext? ={}
  imagePullSecrets           15 [LocalObjectReference] map(name) merge(name) # Secrets for fetching images.
  hostname                   16 string        # The pod's name for itself.
  subdomain                  17 string        # The domain below that of the cluster that the pod is in.
  affinity                   18 Affinity?
  schedulerName              19 string =default-scheduler # Who chooses the node.
  tolerations                22 [Toleration]  # Taints of nodes that the pod puts up with.
  hostAliases                23 [HostAlias] map(ip) merge(ip) # Further lines of the hosts file.
  priorityClassName          24 string        # How important the pod is, by name.
  priority                   25 int32?        # How important the pod is.
  dnsConfig                  26 PodDNSConfig?
  readinessGates             28 [PodReadinessGate] # Further conditions for the pod to be ready.
  runtimeClassName           29 string?       # How the containers are run.
  enableServiceLinks         30 bool?         # Whether services are told in variables of the environment.
  preemptionPolicy           31 PreemptionPolicy? # Whether others may be stopped for this pod.
  overhead                   32 {quantity}    # What running the pod costs beside its containers.
  topologySpreadConstraints  33 [TopologySpreadConstraint] map(topologyKey,whenUnsatisfiable) merge(topologyKey) # How evenly pods are spread.
  setHostnameAsFQDN          35 bool?         # Whether the pod's name for itself has the domain in it.
  os                         36 PodOS?
  hostUsers                  37 bool?         # Whether users are those of the node.
  schedulingGates            38 [PodSchedulingGate] map(name) merge(name) # Who has to agree before the pod is given a node.
  resourceClaims             39 [PodResourceClaim] map(name) merge(name) retainKeys # Claims to devices.
  resources                  40 ResourceRequirements?

type PodSecurityContext                       # What all containers of a pod may do, and as whom.
  seLinuxOptions              1 SELinuxOptions?
  windowsOptions              8 WindowsSecurityContextOptions?
  runAsUser                   2 int64?
  runAsGroup                  6 int64?
  runAsNonRoot                3 bool?
  supplementalGroups          4 [int64]
  supplementalGroupsPolicy   12 SupplementalGroupsPolicy?
  fsGroup                     5 int64?
  sysctls                     7 [Sysctl]
  fsGroupChangePolicy         9 PodFSGroupChangePolicy?
  seccompProfile             10 SeccompProfile?
  appArmorProfile            11 AppArmorProfile?
  seLinuxChangePolicy        13 PodSELinuxChangePolicy?

type Sysctl                                   # A setting of the kernel.
  name                        1 string!
  value                       2 string!

type HostAlias                                # A line of the hosts file.
  ip                          1 string!
  hostnames                   2 [string]

type PodDNSConfig                             # How names are looked up, beyond what the policy says.
  nameservers                 1 [string]
  searches                    2 [string]
  options                     3 [PodDNSConfigOption]

type PodDNSConfigOption                       # An option of looking up names.
  name                        1 string
  value                       2 string?

type PodReadinessGate                         # A further condition for a pod to be ready.
  conditionType               1 PodConditionType!

type PodOS                                    # The system that a pod is for.
  name                        1 OSName!

type PodSchedulingGate                        # Who has to agree before a pod is given a node.
  name                        1 string!

type PodResourceClaim                         # A claim to a device that containers refer to by name.
  name                        1 string!
  resourceClaimName           3 string?
  resourceClaimTemplateName   4 string?

kind PodTemplate                              # A pod to be made, kept for others to use.
  metadata                    1 ObjectMeta
  template                    2 PodTemplateSpec

type PodTemplateSpec                          # The pods that something makes.
  metadata                    1 ObjectMeta
  spec                        2 PodSpec

kind ReplicationController                    # Keeps a number of pods. Stored only: nothing makes pods here.
  metadata                    1 ObjectMeta
  spec                        2 ReplicationControllerSpec
  status                      3 ReplicationControllerStatus

type ReplicationControllerSpec                # How many pods there should be, and which.
  replicas                    1 int32? =1 published # How many pods there should be.
  minReadySeconds             4 int32 published # How long a pod has to be ready to count.
  selector                    2 {string} atomic # The labels of the pods.
  template                    3 PodTemplateSpec?

type ReplicationControllerStatus              # How many pods there are.
  replicas                    1 int32!
  fullyLabeledReplicas        2 int32         # How many pods have all labels of the template.
  readyReplicas               4 int32         # How many pods are ready.
  availableReplicas           5 int32         # How many pods have been ready for long enough.
  observedGeneration          3 int64         # The generation that this is about.
  conditions                  6 [ReplicationControllerCondition] map(type) merge(type) # What can be said about its state.

type ReplicationControllerCondition           # One thing that can be said about the state of a replication controller.
  type                        1 ReplicationControllerConditionType!
  status                      2 ConditionStatus!
  lastTransitionTime          3 time          # When the status last changed.
  reason                      4 string        # Why, in one word for programs.
  message                     5 string        # Why, in words for people.
`;
