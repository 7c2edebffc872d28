/** Machines that run pods. */
export const nodes = `
group core/v1 io.k8s.api.core.v1

alias NodePhase string in(Pending,Running,Terminated)
alias UniqueVolumeName string
alias NodeConditionType string
alias NodeAddressType string

kind Node                                     # A machine that runs pods.
  metadata                    1 ObjectMeta
  spec                        2 NodeSpec
  status                      3 NodeStatus

type NodeSpec                                 # What is asked of a node.
  podCIDR                     1 string        # The addresses of its pods.
  podCIDRs                    7 [string] set merge
  providerID                  3 string        # How its cloud calls it.
  unschedulable               4 bool          # Whether it takes no new pods.
  taints                      5 [Taint]       # What keeps pods away.
  configSource                6 NodeConfigSource?
  externalID                  2 string

type Taint                                    # Keeps pods away that do not tolerate it.
  key                         1 string!       # Its name.
  value                       2 string        # Its value.
  effect                      3 TaintEffect!  # NoSchedule, PreferNoSchedule or NoExecute.
  timeAdded                   4 time?

type NodeConfigSource                         # Where a kubelet found its settings. No longer in use.
  configMap                   2 ConfigMapNodeConfigSource?

type ConfigMapNodeConfigSource                # Settings in a config map. No longer in use.
  namespace                   1 string!
  name                        2 string!
  uid                         3 UID
  resourceVersion             4 string
  kubeletConfigKey            5 string!

type NodeStatus                               # How a node is.
  capacity                    1 {quantity}    # What it has.
  allocatable                 2 {quantity}    # What pods can have of it.
  phase                       3 NodePhase
  conditions                  4 [NodeCondition] map(type) merge(type) # What can be said about its state.
  addresses                   5 [NodeAddress] map(type) merge(type) # How it can be reached.
  daemonEndpoints             6 NodeDaemonEndpoints
  nodeInfo                    7 NodeSystemInfo
  images                      8 [ContainerImage]
  volumesInUse                9 [UniqueVolumeName]
  volumesAttached            10 [AttachedVolume]
  config                     11 NodeConfigStatus?
  runtimeHandlers            12 [NodeRuntimeHandler]
  features                   13 NodeFeatures?

type NodeCondition                            # One thing that can be said about the state of a node.
  type                        1 NodeConditionType!
  status                      2 ConditionStatus!
  lastHeartbeatTime           3 time          # When it was last told.
  lastTransitionTime          4 time          # When the status last changed.
  reason                      5 string        # Why, in one word for programs.
  message                     6 string        # Why, in words for people.

type NodeAddress                              # An address of a node.
  type                        1 NodeAddressType!
  address                     2 string!

type NodeDaemonEndpoints                      # Where the daemons of a node listen.
  kubeletEndpoint             1 DaemonEndpoint

type DaemonEndpoint                           # Where a daemon listens.
  Port                        1 int32!

type NodeSystemInfo                           # What a node runs on.
  machineID                   1 string!
  systemUUID                  2 string!
  bootID                      3 string!
  kernelVersion               4 string!
  osImage                     5 string!
  containerRuntimeVersion     6 string!
  kubeletVersion              7 string!
  kubeProxyVersion            8 string!
  operatingSystem             9 string!
  architecture               10 string!
  swap                       11 NodeSwapStatus?

type NodeSwapStatus                           # The swap memory of a node.
  capacity                    1 int64?

type ContainerImage                           # An image that a node has.
  names                       1 [string]*
  sizeBytes                   2 int64

type AttachedVolume                           # A volume that is attached to a node.
  name                        1 UniqueVolumeName!
  devicePath                  2 string!

type NodeConfigStatus                         # How such settings were taken. No longer in use.
  assigned                    1 NodeConfigSource?
  active                      2 NodeConfigSource?
  lastKnownGood               3 NodeConfigSource?
  error                       4 string

type NodeRuntimeHandler                       # A way to run containers.
  name                        1 string*
  features                    2 NodeRuntimeHandlerFeatures?

type NodeRuntimeHandlerFeatures               # What it can do.
  recursiveReadOnlyMounts     1 bool?
  userNamespaces              2 bool?

type NodeFeatures                             # What a node can do.
  supplementalGroupsPolicy    1 bool?
`;
