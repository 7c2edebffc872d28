/** Containers of pods. */
export const containers = `
group core/v1 io.k8s.api.core.v1

alias ContainerRestartPolicy string
alias TerminationMessagePolicy string in(FallbackToLogsOnError,File)
alias PullPolicy string in(Always,IfNotPresent,Never)
alias Protocol string in(SCTP,TCP,UDP)
alias ResourceResizeRestartPolicy string
alias MountPropagationMode string in(Bidirectional,HostToContainer,None)
alias URIScheme string in(HTTP,HTTPS)
alias ProcMountType string in(Default,Unmasked)
alias Capability string
alias SeccompProfileType string in(Localhost,RuntimeDefault,Unconfined)
alias AppArmorProfileType string in(Localhost,RuntimeDefault,Unconfined)

type ObjectFieldSelector atomic               # A field of the pod.
  apiVersion                  1 string =v1
  fieldPath                   2 string!

type ResourceFieldSelector atomic             # Selects a resource request or limit of a container.
  containerName               1 string
  resource                    2 string!
  divisor                     3 quantity

type Container                                # A program to run, from an image.
  name                        1 string!       # Its name in the pod. It cannot be changed.
  image                       2 string        # The image to run.
  command                     3 [string]      # Entrypoint; replaces that of the image.
  args                        4 [string]      # Arguments; replace those of the image.
  workingDir                  5 string        # The folder that it starts in.
  ports                       6 [ContainerPort] map(containerPort,protocol) merge(containerPort) # The ports that it listens on. Others can be reached as well.
  envFrom                    19 [EnvFromSource] # Variables from config maps and secrets.
  env                         7 [EnvVar] map(name) merge(name) # Variables of its environment.
  resources                   8 ResourceRequirements
  resizePolicy               23 [ContainerResizePolicy] # Resize policy of the container.
  restartPolicy              24 ContainerRestartPolicy? # Always: an init container that keeps running as a sidecar.
  volumeMounts                9 [VolumeMount] map(mountPath) merge(mountPath) # Volumes of the pod, and where to mount them.
  volumeDevices              21 [VolumeDevice] map(devicePath) merge(devicePath) # Volumes of the pod that it uses as raw block devices.
  livenessProbe              10 Probe?
  readinessProbe             11 Probe?
  startupProbe               22 Probe?
  lifecycle                  12 Lifecycle?
  terminationMessagePath     13 string =/dev/termination-log # File with the termination message.
  terminationMessagePolicy   20 TerminationMessagePolicy =File # File, or FallbackToLogsOnError.
  imagePullPolicy            14 PullPolicy    # Always, Never or IfNotPresent.
  securityContext            15 SecurityContext?
  stdin                      16 bool          # Allocate a stdin buffer.
  stdinOnce                  17 bool          # Close stdin after the first client detaches.
  tty                        18 bool          # Allocate a terminal.

type ContainerPort                            # A port that a container listens on.
  name                        1 string        # A name for the port.
  hostPort                    2 int32         # The port of the node.
  containerPort               3 int32!        # The port.
  protocol                    4 Protocol =TCP published # TCP, UDP or SCTP.
  hostIP                      5 string        # The address of the node.

type EnvFromSource                            # Variables from all keys of a config map or secret.
  prefix                      1 string        # Prefix for each name.
  configMapRef                2 ConfigMapEnvSource?
  secretRef                   3 SecretEnvSource?

type ConfigMapEnvSource                       # Variables from a config map.
  localObjectReference        1 LocalObjectReference inline
  optional                    2 bool?

type SecretEnvSource                          # Variables from a secret.
  localObjectReference        1 LocalObjectReference inline
  optional                    2 bool?

type EnvVar                                   # A variable of the environment.
  name                        1 string!       # Its name.
  value                       2 string        # Its value. $(NAME) stands for another variable.
  valueFrom                   3 EnvVarSource?

type EnvVarSource                             # Source of the value of an environment variable.
  fieldRef                    1 ObjectFieldSelector?
  resourceFieldRef            2 ResourceFieldSelector?
  configMapKeyRef             3 ConfigMapKeySelector?
  secretKeyRef                4 SecretKeySelector?

type ConfigMapKeySelector atomic              # A key of a config map.
  localObjectReference        1 LocalObjectReference inline
  key                         2 string!       # The key.
  optional                    3 bool?         # It may be missing.

type SecretKeySelector atomic                 # A key of a secret.
  localObjectReference        1 LocalObjectReference inline
  key                         2 string!       # The key.
  optional                    3 bool?         # It may be missing.

type ResourceRequirements                     # Resource requests and limits of a container.
  limits                      1 {quantity}    # Resource limits.
  requests                    2 {quantity}    # Resource requests.
  claims                      3 [ResourceClaim] map(name)

type ResourceClaim                            # A claim of the pod that a container uses.
  name                        1 string!
  request                     2 string

type ContainerResizePolicy                    # Resize policy for one resource.
  resourceName                1 ResourceName!
  restartPolicy               2 ResourceResizeRestartPolicy!

type VolumeMount                              # A volume at a path of a container.
  name                        1 string!       # The name of the volume.
  readOnly                    2 bool          # Mount or attach it read-only.
  recursiveReadOnly           7 RecursiveReadOnlyMode?
  mountPath                   3 string!       # The path in the container.
  subPath                     4 string        # The path in the volume.
  mountPropagation            5 MountPropagationMode? # Mount propagation between container and node.
  subPathExpr                 6 string        # The path in the volume, with variables in it.

type VolumeDevice                             # A raw block device in a container.
  name                        1 string!
  devicePath                  2 string!

type Probe                                    # Periodic health check of a container.
  probeHandler                1 ProbeHandler inline
  initialDelaySeconds         2 int32         # Seconds between the start and the first probe.
  timeoutSeconds              3 int32 =1      # Timeout of a probe in seconds.
  periodSeconds               4 int32 =10     # Seconds between probes.
  successThreshold            5 int32 =1      # Consecutive successes after a failure to count as healthy.
  failureThreshold            6 int32 =3      # Consecutive failures to count as unhealthy.
  terminationGracePeriodSeconds  7 int64?

type ProbeHandler                             # Handler of a probe: exactly one of the fields is set.
  exec                        1 ExecAction?
  httpGet                     2 HTTPGetAction?
  tcpSocket                   3 TCPSocketAction?
  grpc                        4 GRPCAction?

type ExecAction                               # A program that is run in the container.
  command                     1 [string]      # The program and what it is given.

type HTTPGetAction                            # A GET request.
  path                        1 string =/     # The path.
  port                        2 intOrString!  # The port, by number or name.
  host                        3 string        # The host, if not the pod itself.
  scheme                      4 URIScheme =HTTP # HTTP or HTTPS.
  httpHeaders                 5 [HTTPHeader]  # Headers to send.

type HTTPHeader                               # A header of a request.
  name                        1 string!
  value                       2 string!

type TCPSocketAction                          # A connection that is opened.
  port                        1 intOrString!
  host                        2 string

type GRPCAction                               # A call of the gRPC health service.
  port                        1 int32!
  service                     2 string? = published

type Lifecycle                                # Handlers for the start and stop of a container.
  postStart                   1 LifecycleHandler?
  preStop                     2 LifecycleHandler?
  stopSignal                  3 Signal?

type LifecycleHandler                         # Handler: exactly one of the fields is set.
  exec                        1 ExecAction?
  httpGet                     2 HTTPGetAction?
  tcpSocket                   3 TCPSocketAction?
  sleep                       4 SleepAction?

type SleepAction                              # A pause.
  seconds                     1 int64!

type SecurityContext                          # Security settings of a container.
  capabilities                1 Capabilities?
  privileged                  2 bool?
  seLinuxOptions              3 SELinuxOptions?
  windowsOptions             10 WindowsSecurityContextOptions?
  runAsUser                   4 int64?
  runAsGroup                  8 int64?
  runAsNonRoot                5 bool?
  readOnlyRootFilesystem      6 bool?
  allowPrivilegeEscalation    7 bool?
  procMount                   9 ProcMountType?
  seccompProfile             11 SeccompProfile?
  appArmorProfile            12 AppArmorProfile?

type Capabilities                             # Rights that a container is given or denied.
  add                         1 [Capability]
  drop                        2 [Capability]

type SELinuxOptions                           # The labels of SELinux.
  user                        1 string
  role                        2 string
  type                        3 string
  level                       4 string

type WindowsSecurityContextOptions            # Options for Windows.
  gmsaCredentialSpecName      1 string?
  gmsaCredentialSpec          2 string?
  runAsUserName               3 string?
  hostProcess                 4 bool?

type SeccompProfile                           # Seccomp profile: allowed system calls.
  type                        1 SeccompProfileType!
  localhostProfile            2 string?

type AppArmorProfile                          # AppArmor profile.
  type                        1 AppArmorProfileType!
  localhostProfile            2 string?

type EphemeralContainer                       # A container that is added to a running pod to look around.
  ephemeralContainerCommon    1 EphemeralContainerCommon inline
  targetContainerName         2 string

type EphemeralContainerCommon                 # Fields that ephemeral containers share with others.
  name                        1 string!
  image                       2 string
  command                     3 [string]
  args                        4 [string]
  workingDir                  5 string
  ports                       6 [ContainerPort] map(containerPort,protocol) merge(containerPort)
  envFrom                    19 [EnvFromSource]
  env                         7 [EnvVar] map(name) merge(name)
  resources                   8 ResourceRequirements
  resizePolicy               23 [ContainerResizePolicy]
  restartPolicy              24 ContainerRestartPolicy?
  volumeMounts                9 [VolumeMount] map(mountPath) merge(mountPath)
  volumeDevices              21 [VolumeDevice] map(devicePath) merge(devicePath)
  livenessProbe              10 Probe?
  readinessProbe             11 Probe?
  startupProbe               22 Probe?
  lifecycle                  12 Lifecycle?
  terminationMessagePath     13 string =/dev/termination-log
  terminationMessagePolicy   20 TerminationMessagePolicy =File
  imagePullPolicy            14 PullPolicy
  securityContext            15 SecurityContext?
  stdin                      16 bool
  stdinOnce                  17 bool
  tty                        18 bool
`;
