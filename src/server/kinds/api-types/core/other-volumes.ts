/** Volume sources of vendors and protocols. */
export const otherVolumes = `
group core/v1 io.k8s.api.core.v1

alias AzureDataDiskCachingMode string in(None,ReadOnly,ReadWrite)
alias AzureDataDiskKind string in(Dedicated,Managed,Shared)

type GCEPersistentDiskVolumeSource            # A disk of Google's cloud.
  pdName                      1 string!
  fsType                      2 string        # The file system.
  partition                   3 int32
  readOnly                    4 bool          # Mount or attach it read-only.

type AWSElasticBlockStoreVolumeSource         # A disk of Amazon's cloud.
  volumeID                    1 string!
  fsType                      2 string        # The file system.
  partition                   3 int32
  readOnly                    4 bool          # Mount or attach it read-only.

type GitRepoVolumeSource                      # The content of a git repository. No longer used.
  repository                  1 string!
  revision                    2 string
  directory                   3 string

type NFSVolumeSource                          # A share of an NFS server.
  server                      1 string!
  path                        2 string!
  readOnly                    3 bool          # Mount or attach it read-only.

type ISCSIVolumeSource                        # A disk over iSCSI.
  targetPortal                1 string!
  iqn                         2 string!
  lun                         3 int32!
  iscsiInterface              4 string =default published
  fsType                      5 string        # The file system.
  readOnly                    6 bool          # Mount or attach it read-only.
  portals                     7 [string]
  chapAuthDiscovery           8 bool
  chapAuthSession            11 bool
  secretRef                  10 LocalObjectReference?
  initiatorName              12 string?

type GlusterfsVolumeSource                    # A volume of Glusterfs.
  endpoints                   1 string!
  path                        2 string!
  readOnly                    3 bool          # Mount or attach it read-only.

type RBDVolumeSource                          # A block device of Ceph.
  monitors                    1 [string]!
  image                       2 string!
  fsType                      3 string        # The file system.
  pool                        4 string =rbd published
  user                        5 string =admin published
  keyring                     6 string =/etc/ceph/keyring published
  secretRef                   7 LocalObjectReference?
  readOnly                    8 bool          # Mount or attach it read-only.

type FlexVolumeSource                         # A volume of a driver that is a program.
  driver                      1 string!
  fsType                      2 string        # The file system.
  secretRef                   3 LocalObjectReference?
  readOnly                    4 bool          # Mount or attach it read-only.
  options                     5 {string}

type CinderVolumeSource                       # A volume of OpenStack.
  volumeID                    1 string!
  fsType                      2 string        # The file system.
  readOnly                    3 bool          # Mount or attach it read-only.
  secretRef                   4 LocalObjectReference?

type CephFSVolumeSource                       # A file system of Ceph.
  monitors                    1 [string]!
  path                        2 string
  user                        3 string
  secretFile                  4 string
  secretRef                   5 LocalObjectReference?
  readOnly                    6 bool          # Mount or attach it read-only.

type FlockerVolumeSource                      # A dataset of Flocker.
  datasetName                 1 string
  datasetUUID                 2 string

type FCVolumeSource                           # A disk over Fibre Channel.
  targetWWNs                  1 [string]
  lun                         2 int32?
  fsType                      3 string        # The file system.
  readOnly                    4 bool          # Mount or attach it read-only.
  wwids                       5 [string]

type AzureFileVolumeSource                    # A share of Microsoft's cloud.
  secretName                  1 string!
  shareName                   2 string!
  readOnly                    3 bool          # Mount or attach it read-only.

type VsphereVirtualDiskVolumeSource           # A disk of vSphere.
  volumePath                  1 string!
  fsType                      2 string        # The file system.
  storagePolicyName           3 string
  storagePolicyID             4 string

type QuobyteVolumeSource                      # A volume of Quobyte.
  registry                    1 string!
  volume                      2 string!
  readOnly                    3 bool          # Mount or attach it read-only.
  user                        4 string
  group                       5 string
  tenant                      6 string

type AzureDiskVolumeSource                    # A disk of Microsoft's cloud.
  diskName                    1 string!
  diskURI                     2 string!
  cachingMode                 3 AzureDataDiskCachingMode? =ReadWrite published
  fsType                      4 string? =ext4 published # The file system.
  readOnly                    5 bool? =false published # Mount or attach it read-only.
  kind                        6 AzureDataDiskKind? =Shared published

type PhotonPersistentDiskVolumeSource         # A disk of Photon.
  pdID                        1 string!
  fsType                      2 string        # The file system.

type PortworxVolumeSource                     # A volume of Portworx.
  volumeID                    1 string!
  fsType                      2 string        # The file system.
  readOnly                    3 bool          # Mount or attach it read-only.

type ScaleIOVolumeSource                      # A volume of ScaleIO.
  gateway                     1 string!
  system                      2 string!
  secretRef                   3 LocalObjectReference? required
  sslEnabled                  4 bool
  protectionDomain            5 string
  storagePool                 6 string
  storageMode                 7 string =ThinProvisioned published
  volumeName                  8 string
  fsType                      9 string =xfs published   # The file system.
  readOnly                   10 bool          # Mount or attach it read-only.

type StorageOSVolumeSource                    # A volume of StorageOS.
  volumeName                  1 string
  volumeNamespace             2 string
  fsType                      3 string        # The file system.
  readOnly                    4 bool          # Mount or attach it read-only.
  secretRef                   5 LocalObjectReference?
`;
