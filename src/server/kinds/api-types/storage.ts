/** Kinds of storage. */
export const storage = `
group storage.k8s.io/v1 io.k8s.api.storage.v1

alias VolumeBindingMode string in(Immediate,WaitForFirstConsumer)

kind StorageClass                             # How storage is made when it is claimed.
  metadata                    1 ObjectMeta
  provisioner                 2 string!       # Who makes volumes of this class.
  parameters                  3 {string}      # What they are told.
  reclaimPolicy               4 core/v1.PersistentVolumeReclaimPolicy? =Delete # What becomes of volumes that nobody claims.
  mountOptions                5 [string]      # How volumes are mounted.
  allowVolumeExpansion        6 bool?         # Whether volumes can grow.
  volumeBindingMode           7 VolumeBindingMode? =Immediate # Immediate or WaitForFirstConsumer.
  allowedTopologies           8 [core/v1.TopologySelectorTerm]
`;
