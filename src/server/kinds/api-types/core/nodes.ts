/** Nodes. */
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

type NodeSpec                                 # Desired state of a node.
  podCIDR                     1 string        # The addresses of its pods.
  podCIDRs                    7 [string] set merge
  providerID                  3 string        # ID of the node at its cloud provider.
  unschedulable               4 bool          # The scheduler assigns no new pods to the node.
  taints                      5 [Taint]       # Taints, which repel pods without a matching toleration.
  configSource                6 NodeConfigSource?
  externalID                  2 string

type Taint                                    # Keeps pods away that do not tolerate it.
  key                         1 string!       # Its name.
  value                       2 string        # Its value.
  effect                      3 TaintEffect!  # NoSchedule, PreferNoSchedule or NoExecute.
  timeAdded                   4 time?

type NodeConfigSource                         # Configuration source of a kubelet. No longer used.
  configMap                   2 ConfigMapNodeConfigSource?

type ConfigMapNodeConfigSource                # Settings in a config map. No longer used.
  namespace                   1 string!
  name                        2 string!
  uid                         3 UID
  resourceVersion             4 string
  kubeletConfigKey            5 string!

type NodeStatus                               # Status of a node.
  capacity                    1 {quantity}    # Total resources of the node.
  allocatable                 2 {quantity}    # Resources available for pods.
  phase                       3 NodePhase
  conditions                  4 [NodeCondition] map(type) merge(type) # Conditions of its state.
  addresses                   5 [NodeAddress] map(type) merge(type) # Addresses of the node.
  daemonEndpoints             6 NodeDaemonEndpoints
  nodeInfo                    7 NodeSystemInfo
  images                      8 [ContainerImage]
  volumesInUse                9 [UniqueVolumeName]
  volumesAttached            10 [AttachedVolume]
  config                     11 NodeConfigStatus?
  runtimeHandlers            12 [NodeRuntimeHandler]
  features                   13 NodeFeatures?

type NodeCondition                            # Condition of a node.
  type                        1 NodeConditionType!
  status                      2 ConditionStatus!
  lastHeartbeatTime           3 time          # Time of the last heartbeat.
  lastTransitionTime          4 time          # Time of the last change of the status.
  reason                      5 string        # Machine-readable reason, one CamelCase word.
  message                     6 string        # Human-readable explanation.

type NodeAddress                              # An address of a node.
  type                        1 NodeAddressType!
  address                     2 string!

type NodeDaemonEndpoints                      # Endpoints of the daemons of a node.
  kubeletEndpoint             1 DaemonEndpoint

type DaemonEndpoint                           # Endpoint of a daemon.
  Port                        1 int32!

type NodeSystemInfo                           # System information of a node.
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

type NodeConfigStatus                         # Status of the configuration of a kubelet. No longer used.
  assigned                    1 NodeConfigSource?
  active                      2 NodeConfigSource?
  lastKnownGood               3 NodeConfigSource?
  error                       4 string

type NodeRuntimeHandler                       # A way to run containers.
  name                        1 string*
  features                    2 NodeRuntimeHandlerFeatures?

type NodeRuntimeHandlerFeatures               # Features of a runtime handler.
  recursiveReadOnlyMounts     1 bool?
  userNamespaces              2 bool?

type NodeFeatures                             # Features of a node.
  supplementalGroupsPolicy    1 bool?
`;
