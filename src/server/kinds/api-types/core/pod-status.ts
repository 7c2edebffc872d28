/** Status of pods and containers. */
export const podStatus = `
group core/v1 io.k8s.api.core.v1

alias PodPhase string in(Failed,Pending,Running,Succeeded,Unknown)
alias PodQOSClass string in(BestEffort,Burstable,Guaranteed)
alias PodResizeStatus string
alias Signal string in(SIGABRT,SIGALRM,SIGBUS,SIGCHLD,SIGCLD,SIGCONT,SIGFPE,SIGHUP,SIGILL,SIGINT,SIGIO,SIGIOT,SIGKILL,SIGPIPE,SIGPOLL,SIGPROF,SIGPWR,SIGQUIT,SIGRTMAX,SIGRTMAX-1,SIGRTMAX-10,SIGRTMAX-11,SIGRTMAX-12,SIGRTMAX-13,SIGRTMAX-14,SIGRTMAX-2,SIGRTMAX-3,SIGRTMAX-4,SIGRTMAX-5,SIGRTMAX-6,SIGRTMAX-7,SIGRTMAX-8,SIGRTMAX-9,SIGRTMIN,SIGRTMIN+1,SIGRTMIN+10,SIGRTMIN+11,SIGRTMIN+12,SIGRTMIN+13,SIGRTMIN+14,SIGRTMIN+15,SIGRTMIN+2,SIGRTMIN+3,SIGRTMIN+4,SIGRTMIN+5,SIGRTMIN+6,SIGRTMIN+7,SIGRTMIN+8,SIGRTMIN+9,SIGSEGV,SIGSTKFLT,SIGSTOP,SIGSYS,SIGTERM,SIGTRAP,SIGTSTP,SIGTTIN,SIGTTOU,SIGURG,SIGUSR1,SIGUSR2,SIGVTALRM,SIGWINCH,SIGXCPU,SIGXFSZ)
alias RecursiveReadOnlyMode string
alias ResourceName string
alias ResourceID string
alias ResourceHealthStatus string

type PodStatus                                # Status of a pod.
  observedGeneration         17 int64         # The generation that this is about.
  phase                       1 PodPhase      # Pending, Running, Succeeded, Failed or Unknown.
  conditions                  2 [PodCondition] map(type) merge(type) # Conditions of its state.
  message                     3 string        # Human-readable explanation.
  reason                      4 string        # Machine-readable reason, one CamelCase word.
  nominatedNodeName          11 string        # The node that is being made free for the pod.
  hostIP                      5 string        # The address of the node.
  hostIPs                    16 [HostIP] merge(ip) # The addresses of the node.
  podIP                       6 string        # The address of the pod.
  podIPs                     12 [PodIP] map(ip) merge(ip) # The addresses of the pod.
  startTime                   7 time?         # Time at which the kubelet accepted the pod.
  initContainerStatuses      10 [ContainerStatus] # Status of the init containers.
  containerStatuses           8 [ContainerStatus] # Status of the containers.
  qosClass                    9 PodQOSClass   # Guaranteed, Burstable or BestEffort.
  ephemeralContainerStatuses 13 [ContainerStatus] # Status of the ephemeral containers.
  resize                     14 PodResizeStatus
  resourceClaimStatuses      15 [PodResourceClaimStatus] map(name) merge(name) retainKeys

type PodCondition                             # Condition of a pod.
  type                        1 PodConditionType!
  observedGeneration          7 int64         # The generation that this is about.
  status                      2 ConditionStatus!
  lastProbeTime               3 time          # Time of the last probe.
  lastTransitionTime          4 time          # Time of the last change of the status.
  reason                      5 string        # Machine-readable reason, one CamelCase word.
  message                     6 string        # Human-readable explanation.

type HostIP                                   # An address of a pod's node.
  ip                          1 string!

type PodIP                                    # An address of a pod.
  ip                          1 string!

type ContainerStatus                          # Status of a container.
  name                        1 string!
  state                       2 ContainerState
  lastState                   3 ContainerState
  ready                       4 bool!
  restartCount                5 int32!
  image                       6 string!
  imageID                     7 string!
  containerID                 8 string
  started                     9 bool?
  allocatedResources         10 {quantity}
  resources                  11 ResourceRequirements?
  volumeMounts               12 [VolumeMountStatus] map(mountPath) merge(mountPath)
  user                       13 ContainerUser?
  allocatedResourcesStatus   14 [ResourceStatus] map(name) merge(name)
  stopSignal                 15 Signal?

type ContainerState                           # Waiting, running or terminated.
  waiting                     1 ContainerStateWaiting?
  running                     2 ContainerStateRunning?
  terminated                  3 ContainerStateTerminated?

type ContainerStateWaiting                    # State of a container that waits to start.
  reason                      1 string        # Machine-readable reason, one CamelCase word.
  message                     2 string        # Human-readable explanation.

type ContainerStateRunning                    # Start time of a running container.
  startedAt                   1 time

type ContainerStateTerminated                 # State of a terminated container.
  exitCode                    1 int32!
  signal                      2 int32
  reason                      3 string        # Machine-readable reason, one CamelCase word.
  message                     4 string        # Human-readable explanation.
  startedAt                   5 time
  finishedAt                  6 time
  containerID                 7 string

type VolumeMountStatus                        # Status of a volume mount.
  name                        1 string!
  mountPath                   2 string!
  readOnly                    3 bool          # Mount or attach it read-only.
  recursiveReadOnly           4 RecursiveReadOnlyMode?

type ContainerUser                            # User of a container.
  linux                       1 LinuxContainerUser?

type LinuxContainerUser                       # User of a container on Linux.
  uid                         1 int64!
  gid                         2 int64!
  supplementalGroups          3 [int64]

type ResourceStatus                           # Status of a device of a container.
  name                        1 ResourceName!
  resources                   2 [ResourceHealth] map(resourceID)

type ResourceHealth                           # Health of a device.
  resourceID                  1 ResourceID!
  health                      2 ResourceHealthStatus

type PodResourceClaimStatus                   # The claim that was made for a pod.
  name                        1 string!
  resourceClaimName           2 string?
`;
