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

type ResourceFieldSelector atomic             # What a container asks for or is limited to.
  containerName               1 string
  resource                    2 string!
  divisor                     3 quantity

type Container                                # A program to run, from an image.
  name                        1 string!       # Its name in the pod. It cannot be changed.
  image                       2 string        # The image to run.
  command                     3 [string]      # What to run in place of the image's entry point.
  args                        4 [string]      # What to give it.
  workingDir                  5 string        # The folder that it starts in.
  ports                       6 [ContainerPort] map(containerPort,protocol) merge(containerPort) # The ports that it listens on. Others can be reached as well.
  envFrom                    19 [EnvFromSource] # Variables from config maps and secrets.
  env                         7 [EnvVar] map(name) merge(name) # Variables of its environment.
  resources                   8 ResourceRequirements
  resizePolicy               23 [ContainerResizePolicy] # What happens when its resources change.
  restartPolicy              24 ContainerRestartPolicy? # Always, for a container that runs first and goes on beside the others.
  volumeMounts                9 [VolumeMount] map(mountPath) merge(mountPath) # Volumes of the pod, and where to mount them.
  volumeDevices              21 [VolumeDevice] map(devicePath) merge(devicePath) # Volumes of the pod that it uses as raw block devices.
  livenessProbe              10 Probe?
  readinessProbe             11 Probe?
  startupProbe               22 Probe?
  lifecycle                  12 Lifecycle?
  terminationMessagePath     13 string =/dev/termination-log # The file whose content says why it ended.
  terminationMessagePolicy   20 TerminationMessagePolicy =File # File, or FallbackToLogsOnError.
  imagePullPolicy            14 PullPolicy    # Always, Never or IfNotPresent.
  securityContext            15 SecurityContext?
  stdin                      16 bool          # Whether it has an input.
  stdinOnce                  17 bool          # Whether the input ends with the first who attaches to it.
  tty                        18 bool          # Whether it has a terminal.

type ContainerPort                            # A port that a container listens on.
  name                        1 string        # A name for the port.
  hostPort                    2 int32         # The port of the node.
  containerPort               3 int32!        # The port.
  protocol                    4 Protocol =TCP published # TCP, UDP or SCTP.
  hostIP                      5 string        # The address of the node.

type EnvFromSource                            # Variables from all keys of a config map or secret.
  prefix                      1 string        # What is put before each name.
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

type EnvVarSource                             # Where the value of a variable comes from.
  fieldRef                    1 ObjectFieldSelector?
  resourceFieldRef            2 ResourceFieldSelector?
  configMapKeyRef             3 ConfigMapKeySelector?
  secretKeyRef                4 SecretKeySelector?

type ConfigMapKeySelector atomic              # A key of a config map.
  localObjectReference        1 LocalObjectReference inline
  key                         2 string!       # The key.
  optional                    3 bool?         # Whether it need not be there.

type SecretKeySelector atomic                 # A key of a secret.
  localObjectReference        1 LocalObjectReference inline
  key                         2 string!       # The key.
  optional                    3 bool?         # Whether it need not be there.

type ResourceRequirements                     # What a container needs, and what it may use at most.
  limits                      1 {quantity}    # How much may be used.
  requests                    2 {quantity}    # How much is needed.
  claims                      3 [ResourceClaim] map(name)

type ResourceClaim                            # A claim of the pod that a container uses.
  name                        1 string!
  request                     2 string

type ContainerResizePolicy                    # What happens to a container when its resources change.
  resourceName                1 ResourceName!
  restartPolicy               2 ResourceResizeRestartPolicy!

type VolumeMount                              # A volume at a path of a container.
  name                        1 string!       # The name of the volume.
  readOnly                    2 bool          # Whether it can only be read.
  recursiveReadOnly           7 RecursiveReadOnlyMode?
  mountPath                   3 string!       # The path in the container.
  subPath                     4 string        # The path in the volume.
  mountPropagation            5 MountPropagationMode? # Whether mounts are seen on the other side.
  subPathExpr                 6 string        # The path in the volume, with variables in it.

type VolumeDevice                             # A raw block device in a container.
  name                        1 string!
  devicePath                  2 string!

type Probe                                    # A question that is asked of a container again and again.
  probeHandler                1 ProbeHandler inline
  initialDelaySeconds         2 int32         # How long after the start the first one comes.
  timeoutSeconds              3 int32 =1      # How long an answer may take.
  periodSeconds               4 int32 =10     # How often it comes.
  successThreshold            5 int32 =1      # How many good answers in a row make up for a bad one.
  failureThreshold            6 int32 =3      # How many bad answers in a row count.
  terminationGracePeriodSeconds  7 int64?

type ProbeHandler                             # How it is asked: one of these.
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

type Lifecycle                                # What is done when a container starts and stops.
  postStart                   1 LifecycleHandler?
  preStop                     2 LifecycleHandler?
  stopSignal                  3 Signal?

type LifecycleHandler                         # What is done: one of these.
  exec                        1 ExecAction?
  httpGet                     2 HTTPGetAction?
  tcpSocket                   3 TCPSocketAction?
  sleep                       4 SleepAction?

type SleepAction                              # A pause.
  seconds                     1 int64!

type SecurityContext                          # What a container may do, and as whom.
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

type WindowsSecurityContextOptions            # What applies on Windows alone.
  gmsaCredentialSpecName      1 string?
  gmsaCredentialSpec          2 string?
  runAsUserName               3 string?
  hostProcess                 4 bool?

type SeccompProfile                           # Which calls of the kernel are allowed.
  type                        1 SeccompProfileType!
  localhostProfile            2 string?

type AppArmorProfile                          # What AppArmor allows.
  type                        1 AppArmorProfileType!
  localhostProfile            2 string?

type EphemeralContainer                       # A container that is added to a running pod to look around.
  ephemeralContainerCommon    1 EphemeralContainerCommon inline
  targetContainerName         2 string

type EphemeralContainerCommon                 # What such a container has in common with others.
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
