/** Volumes of pods. */
export const volumes = `
group core/v1 io.k8s.api.core.v1

alias HostPathType string in(,BlockDevice,CharDevice,Directory,DirectoryOrCreate,File,FileOrCreate,Socket)
alias StorageMedium string

type Volume                                   # Storage that containers of a pod can mount.
  name                        1 string!       # Its name in the pod.
  volumeSource                2 VolumeSource inline

type VolumeSource                             # Source of a volume: exactly one of the fields is set.
  hostPath                    1 HostPathVolumeSource?
  emptyDir                    2 EmptyDirVolumeSource?
  gcePersistentDisk           3 GCEPersistentDiskVolumeSource?
  awsElasticBlockStore        4 AWSElasticBlockStoreVolumeSource?
  gitRepo                     5 GitRepoVolumeSource?
  secret                      6 SecretVolumeSource?
  nfs                         7 NFSVolumeSource?
  iscsi                       8 ISCSIVolumeSource?
  glusterfs                   9 GlusterfsVolumeSource?
  persistentVolumeClaim      10 PersistentVolumeClaimVolumeSource?
  rbd                        11 RBDVolumeSource?
  flexVolume                 12 FlexVolumeSource?
  cinder                     13 CinderVolumeSource?
  cephfs                     14 CephFSVolumeSource?
  flocker                    15 FlockerVolumeSource?
  downwardAPI                16 DownwardAPIVolumeSource?
  fc                         17 FCVolumeSource?
  azureFile                  18 AzureFileVolumeSource?
  configMap                  19 ConfigMapVolumeSource?
  vsphereVolume              20 VsphereVirtualDiskVolumeSource?
  quobyte                    21 QuobyteVolumeSource?
  azureDisk                  22 AzureDiskVolumeSource?
  photonPersistentDisk       23 PhotonPersistentDiskVolumeSource?
  projected                  26 ProjectedVolumeSource?
  portworxVolume             24 PortworxVolumeSource?
  scaleIO                    25 ScaleIOVolumeSource?
  storageos                  27 StorageOSVolumeSource?
  csi                        28 CSIVolumeSource?
  ephemeral                  29 EphemeralVolumeSource?
  image                      30 ImageVolumeSource?

type HostPathVolumeSource                     # A path on the node.
  path                        1 string!       # The path.
  type                        2 HostPathType? = # Type of the path: empty for no check, else Directory, File and so on.

type EmptyDirVolumeSource                     # An empty folder that lives as long as its pod.
  medium                      1 StorageMedium # Memory, or the node's disk when empty.
  sizeLimit                   2 quantity?     # Maximum size.

type SecretVolumeSource                       # The content of a secret, as files.
  secretName                  1 string        # The secret.
  items                       2 [KeyToPath]   # The keys to show; all when empty.
  defaultMode                 3 int32? =420   # The mode of the files, as a number.
  optional                    4 bool?         # The secret may be missing.

type KeyToPath                                # The file that a key becomes.
  key                         1 string!       # The key.
  path                        2 string!       # The path of the file.
  mode                        3 int32?        # The mode of the file, as a number.

type PersistentVolumeClaimVolumeSource        # A claim to a persistent volume.
  claimName                   1 string!       # The claim.
  readOnly                    2 bool          # Mount or attach it read-only.

type DownwardAPIVolumeSource                  # Facts about the pod, as files.
  items                       1 [DownwardAPIVolumeFile]
  defaultMode                 2 int32? =420

type DownwardAPIVolumeFile                    # A fact about the pod, as a file.
  path                        1 string!
  fieldRef                    2 ObjectFieldSelector?
  resourceFieldRef            3 ResourceFieldSelector?
  mode                        4 int32?

type ConfigMapVolumeSource                    # The content of a config map, as files.
  localObjectReference        1 LocalObjectReference inline
  items                       2 [KeyToPath]   # The keys to show; all when empty.
  defaultMode                 3 int32? =420   # The mode of the files, as a number.
  optional                    4 bool?         # The config map may be missing.

type ProjectedVolumeSource                    # Several sources in one folder.
  sources                     1 [VolumeProjection]*
  defaultMode                 2 int32? =420

type VolumeProjection                         # One source of several in a folder.
  secret                      1 SecretProjection?
  downwardAPI                 2 DownwardAPIProjection?
  configMap                   3 ConfigMapProjection?
  serviceAccountToken         4 ServiceAccountTokenProjection?
  clusterTrustBundle          5 ClusterTrustBundleProjection?

type SecretProjection                         # The content of a secret, beside other sources.
  localObjectReference        1 LocalObjectReference inline
  items                       2 [KeyToPath]
  optional                    4 bool?

type DownwardAPIProjection                    # Facts about the pod, beside other sources.
  items                       1 [DownwardAPIVolumeFile]

type ConfigMapProjection                      # The content of a config map, beside other sources.
  localObjectReference        1 LocalObjectReference inline
  items                       2 [KeyToPath]
  optional                    4 bool?

type ServiceAccountTokenProjection            # A token of the pod's service account.
  audience                    1 string
  expirationSeconds           2 int64? =3600
  path                        3 string!

type ClusterTrustBundleProjection             # Certificates to trust.
  name                        1 string?
  signerName                  2 string?
  labelSelector               3 LabelSelector?
  optional                    5 bool?
  path                        4 string!

type CSIVolumeSource                          # A volume of a CSI driver that lives as long as its pod.
  driver                      1 string!
  readOnly                    2 bool?         # Mount or attach it read-only.
  fsType                      3 string?       # The file system.
  volumeAttributes            4 {string}
  nodePublishSecretRef        5 LocalObjectReference?

type EphemeralVolumeSource                    # A claim that is created for the pod and deleted with it.
  volumeClaimTemplate         1 PersistentVolumeClaimTemplate?

type PersistentVolumeClaimTemplate            # The claim that is made for a pod.
  metadata                    1 ObjectMeta
  spec                        2 PersistentVolumeClaimSpec!

type ImageVolumeSource                        # The content of an image.
  reference                   1 string
  pullPolicy                  2 PullPolicy
`;
