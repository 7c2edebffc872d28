/** Pods, pod templates and replication controllers. */
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

kind Binding                                  # Assigns a pod to a node.
  metadata                    1 ObjectMeta
  target                      2 ObjectReference!

kind Pod                                      # Containers that run together on one node. Stored only: nothing runs them here.
  metadata                    1 ObjectMeta
  spec                        2 PodSpec
  status                      3 PodStatus

type PodSpec                                  # Containers of a pod and how to run them.
  volumes                     1 [Volume] map(name) merge(name) retainKeys # Storage that the containers can mount.
  initContainers             20 [Container] map(name) merge(name) # Containers that run to their end, one by one, before the others start.
  containers                  2 [Container]! map(name) merge(name) # The containers. There is at least one, and each has a name of its own.
  ephemeralContainers        34 [EphemeralContainer] map(name) merge(name) # Containers added later to look around.
  restartPolicy               3 RestartPolicy =Always # Always, OnFailure or Never.
  terminationGracePeriodSeconds  4 int64? =30 # Seconds the containers have to terminate gracefully.
  activeDeadlineSeconds       5 int64?        # Maximum run time of the pod in seconds.
  dnsPolicy                   6 DNSPolicy =ClusterFirst # ClusterFirst, ClusterFirstWithHostNet, Default or None.
  nodeSelector                7 {string} atomic # Labels that the node must have.
  serviceAccountName          8 string        # The service account that the pod acts as.
  serviceAccount              9 string        # The same by its older name.
  automountServiceAccountToken 21 bool?       # Mount a token of the service account into the pod.
  nodeName                   10 string        # The node that the pod runs on.
  hostNetwork                11 bool          # Use the network namespace of the node.
  hostPID                    12 bool          # Use the process namespace of the node.
  hostIPC                    13 bool          # Use the IPC namespace of the node.
  shareProcessNamespace      27 bool?         # Share one process namespace among the containers.
  securityContext            14 PodSecurityContext? ={}
  imagePullSecrets           15 [LocalObjectReference] map(name) merge(name) # Secrets for fetching images.
  hostname                   16 string        # The pod's name for itself.
  subdomain                  17 string        # The domain below that of the cluster that the pod is in.
  affinity                   18 Affinity?
  schedulerName              19 string =default-scheduler # Scheduler that assigns the pod to a node.
  tolerations                22 [Toleration]  # Taints of nodes that the pod puts up with.
  hostAliases                23 [HostAlias] map(ip) merge(ip) # Further lines of the hosts file.
  priorityClassName          24 string        # Name of the priority class.
  priority                   25 int32?        # Priority of the pod.
  dnsConfig                  26 PodDNSConfig?
  readinessGates             28 [PodReadinessGate] # Further conditions for the pod to be ready.
  runtimeClassName           29 string?       # Runtime class that runs the containers.
  enableServiceLinks         30 bool?         # Pass services of the namespace as environment variables.
  preemptionPolicy           31 PreemptionPolicy? # Preemption policy: Never or PreemptLowerPriority.
  overhead                   32 {quantity}    # Resources of the pod sandbox beside its containers.
  topologySpreadConstraints  33 [TopologySpreadConstraint] map(topologyKey,whenUnsatisfiable) merge(topologyKey) # Rule for spreading pods over topology domains.
  setHostnameAsFQDN          35 bool?         # Use the fully qualified domain name as the hostname of the pod.
  os                         36 PodOS?
  hostUsers                  37 bool?         # Use the user namespace of the node. Default true.
  schedulingGates            38 [PodSchedulingGate] map(name) merge(name) # Scheduling gates; the pod is scheduled when the list is empty.
  resourceClaims             39 [PodResourceClaim] map(name) merge(name) retainKeys # Claims to devices.
  resources                  40 ResourceRequirements?

type PodSecurityContext                       # Security settings of all containers of a pod.
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

type PodDNSConfig                             # DNS configuration beyond the policy.
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

type PodSchedulingGate                        # Scheduling gate of a pod.
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

type ReplicationControllerSpec                # Desired state: replicas, selector and template.
  replicas                    1 int32? =1 published # Desired number of pods.
  minReadySeconds             4 int32 published # Seconds a pod must be ready before it counts as available.
  selector                    2 {string} atomic # The labels of the pods.
  template                    3 PodTemplateSpec?

type ReplicationControllerStatus              # Number of pods.
  replicas                    1 int32!
  fullyLabeledReplicas        2 int32         # Number of pods that have all labels of the template.
  readyReplicas               4 int32         # Number of ready pods.
  availableReplicas           5 int32         # Number of pods that have been ready for minReadySeconds.
  observedGeneration          3 int64         # The generation that this is about.
  conditions                  6 [ReplicationControllerCondition] map(type) merge(type) # Conditions of its state.

type ReplicationControllerCondition           # Condition of a replication controller.
  type                        1 ReplicationControllerConditionType!
  status                      2 ConditionStatus!
  lastTransitionTime          3 time          # Time of the last change of the status.
  reason                      4 string        # Machine-readable reason, one CamelCase word.
  message                     5 string        # Human-readable explanation.
`;
