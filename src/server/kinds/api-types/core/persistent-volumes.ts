/** Persistent volumes and claims. */
export const persistentVolumes = `
group core/v1 io.k8s.api.core.v1

alias PersistentVolumeAccessMode string in(ReadOnlyMany,ReadWriteMany,ReadWriteOnce,ReadWriteOncePod)
alias PersistentVolumeReclaimPolicy string in(Delete,Recycle,Retain)
alias PersistentVolumeMode string in(Block,Filesystem)
alias PersistentVolumePhase string in(Available,Bound,Failed,Pending,Released)
alias PersistentVolumeClaimPhase string in(Bound,Lost,Pending)
alias ClaimResourceStatus string in(ControllerResizeInProgress,ControllerResizeInfeasible,NodeResizeInProgress,NodeResizeInfeasible,NodeResizePending)
alias PersistentVolumeClaimConditionType string
alias PersistentVolumeClaimModifyVolumeStatus string in(InProgress,Infeasible,Pending)

kind PersistentVolume                         # Storage that outlives pods.
  metadata                    1 ObjectMeta
  spec                        2 PersistentVolumeSpec
  status                      3 PersistentVolumeStatus

type PersistentVolumeSpec                     # Source, capacity and claim of a volume.
  capacity                    1 {quantity}    # Capacity.
  persistentVolumeSource      2 PersistentVolumeSource inline
  accessModes                 3 [PersistentVolumeAccessMode] # Access modes.
  claimRef                    4 ObjectReference? granular
  persistentVolumeReclaimPolicy  5 PersistentVolumeReclaimPolicy =Retain # Reclaim policy: Retain, Delete or Recycle.
  storageClassName            6 string        # The class of storage.
  mountOptions                7 [string]
  volumeMode                  8 PersistentVolumeMode? =Filesystem # Filesystem or Block.
  nodeAffinity                9 VolumeNodeAffinity?
  volumeAttributesClassName  10 string?

type PersistentVolumeSource                   # Source of a persistent volume: exactly one of the fields is set.
  gcePersistentDisk           1 GCEPersistentDiskVolumeSource?
  awsElasticBlockStore        2 AWSElasticBlockStoreVolumeSource?
  hostPath                    3 HostPathVolumeSource?
  glusterfs                   4 GlusterfsPersistentVolumeSource?
  nfs                         5 NFSVolumeSource?
  rbd                         6 RBDPersistentVolumeSource?
  iscsi                       7 ISCSIPersistentVolumeSource?
  cinder                      8 CinderPersistentVolumeSource?
  cephfs                      9 CephFSPersistentVolumeSource?
  fc                         10 FCVolumeSource?
  flocker                    11 FlockerVolumeSource?
  flexVolume                 12 FlexPersistentVolumeSource?
  azureFile                  13 AzureFilePersistentVolumeSource?
  vsphereVolume              14 VsphereVirtualDiskVolumeSource?
  quobyte                    15 QuobyteVolumeSource?
  azureDisk                  16 AzureDiskVolumeSource?
  photonPersistentDisk       17 PhotonPersistentDiskVolumeSource?
  portworxVolume             18 PortworxVolumeSource?
  scaleIO                    19 ScaleIOPersistentVolumeSource?
  local                      20 LocalVolumeSource?
  storageos                  21 StorageOSPersistentVolumeSource?
  csi                        22 CSIPersistentVolumeSource?

type GlusterfsPersistentVolumeSource          # A volume of Glusterfs.
  endpoints                   1 string!
  path                        2 string!
  readOnly                    3 bool          # Mount or attach it read-only.
  endpointsNamespace          4 string?

type RBDPersistentVolumeSource                # A block device of Ceph.
  monitors                    1 [string]!
  image                       2 string!
  fsType                      3 string        # The file system.
  pool                        4 string =rbd published
  user                        5 string =admin published
  keyring                     6 string =/etc/ceph/keyring published
  secretRef                   7 SecretReference?
  readOnly                    8 bool          # Mount or attach it read-only.

type SecretReference atomic                   # A secret in any namespace.
  name                        1 string
  namespace                   2 string

type ISCSIPersistentVolumeSource              # A disk over iSCSI.
  targetPortal                1 string!
  iqn                         2 string!
  lun                         3 int32!
  iscsiInterface              4 string =default published
  fsType                      5 string        # The file system.
  readOnly                    6 bool          # Mount or attach it read-only.
  portals                     7 [string]
  chapAuthDiscovery           8 bool
  chapAuthSession            11 bool
  secretRef                  10 SecretReference?
  initiatorName              12 string?

type CinderPersistentVolumeSource             # A volume of OpenStack.
  volumeID                    1 string!
  fsType                      2 string        # The file system.
  readOnly                    3 bool          # Mount or attach it read-only.
  secretRef                   4 SecretReference?

type CephFSPersistentVolumeSource             # A file system of Ceph.
  monitors                    1 [string]!
  path                        2 string
  user                        3 string
  secretFile                  4 string
  secretRef                   5 SecretReference?
  readOnly                    6 bool          # Mount or attach it read-only.

type FlexPersistentVolumeSource               # A volume of a driver that is a program.
  driver                      1 string!
  fsType                      2 string        # The file system.
  secretRef                   3 SecretReference?
  readOnly                    4 bool          # Mount or attach it read-only.
  options                     5 {string}

type AzureFilePersistentVolumeSource          # A share of Microsoft's cloud.
  secretName                  1 string!
  shareName                   2 string!
  readOnly                    3 bool          # Mount or attach it read-only.
  secretNamespace             4 string?

type ScaleIOPersistentVolumeSource            # A volume of ScaleIO.
  gateway                     1 string!
  system                      2 string!
  secretRef                   3 SecretReference? required
  sslEnabled                  4 bool
  protectionDomain            5 string
  storagePool                 6 string
  storageMode                 7 string =ThinProvisioned published
  volumeName                  8 string
  fsType                      9 string =xfs published   # The file system.
  readOnly                   10 bool          # Mount or attach it read-only.

type LocalVolumeSource                        # A disk of a node.
  path                        1 string!
  fsType                      2 string?       # The file system.

type StorageOSPersistentVolumeSource          # A volume of StorageOS.
  volumeName                  1 string
  volumeNamespace             2 string
  fsType                      3 string        # The file system.
  readOnly                    4 bool          # Mount or attach it read-only.
  secretRef                   5 ObjectReference?

type CSIPersistentVolumeSource                # A volume of a CSI driver.
  driver                      1 string!
  volumeHandle                2 string!
  readOnly                    3 bool          # Mount or attach it read-only.
  fsType                      4 string        # The file system.
  volumeAttributes            5 {string}
  controllerPublishSecretRef  6 SecretReference?
  nodeStageSecretRef          7 SecretReference?
  nodePublishSecretRef        8 SecretReference?
  controllerExpandSecretRef   9 SecretReference?
  nodeExpandSecretRef        10 SecretReference?

type VolumeNodeAffinity                       # The nodes that can reach a volume.
  required                    1 NodeSelector?

type PersistentVolumeStatus                   # Status of a volume.
  phase                       1 PersistentVolumePhase =Pending
  message                     2 string        # Human-readable explanation.
  reason                      3 string        # Machine-readable reason, one CamelCase word.
  lastPhaseTransitionTime     4 time?

kind PersistentVolumeClaim                    # Request for storage.
  metadata                    1 ObjectMeta
  spec                        2 PersistentVolumeClaimSpec
  status                      3 PersistentVolumeClaimStatus

type PersistentVolumeClaimStatus              # Status of a claim.
  phase                       1 PersistentVolumeClaimPhase =Pending
  accessModes                 2 [PersistentVolumeAccessMode]
  capacity                    3 {quantity}
  conditions                  4 [PersistentVolumeClaimCondition] map(type) merge(type) # Conditions of its state.
  allocatedResources          5 {quantity}
  allocatedResourceStatuses   7 {ClaimResourceStatus} granular
  currentVolumeAttributesClassName  8 string?
  modifyVolumeStatus          9 ModifyVolumeStatus?

type PersistentVolumeClaimCondition           # Condition of a claim.
  type                        1 PersistentVolumeClaimConditionType!
  status                      2 ConditionStatus!
  lastProbeTime               3 time          # Time of the last probe.
  lastTransitionTime          4 time          # Time of the last change of the status.
  reason                      5 string        # Machine-readable reason, one CamelCase word.
  message                     6 string        # Human-readable explanation.

type ModifyVolumeStatus                       # Status of a change of volume attributes.
  targetVolumeAttributesClassName  1 string
  status                      2 PersistentVolumeClaimModifyVolumeStatus!

type PersistentVolumeClaimSpec                # Requested storage of a claim.
  accessModes                 1 [PersistentVolumeAccessMode] # Access modes that are requested.
  selector                    4 LabelSelector?
  resources                   2 VolumeResourceRequirements
  volumeName                  3 string        # The volume that was found for it.
  storageClassName            5 string?       # The class of storage.
  volumeMode                  6 PersistentVolumeMode? =Filesystem # Filesystem or Block.
  dataSource                  7 TypedLocalObjectReference?
  dataSourceRef               8 TypedObjectReference?
  volumeAttributesClassName   9 string?

type VolumeResourceRequirements               # Requested storage.
  limits                      1 {quantity}
  requests                    2 {quantity}

type TypedLocalObjectReference atomic         # An object of any kind in the same namespace.
  apiGroup                    1 string?
  kind                        2 string!
  name                        3 string!

type TypedObjectReference                     # An object of any kind.
  apiGroup                    1 string?
  kind                        2 string!
  name                        3 string!
  namespace                   4 string?
`;
