/** Storage classes. */
export const storage = `
group storage.k8s.io/v1 io.k8s.api.storage.v1

alias VolumeBindingMode string in(Immediate,WaitForFirstConsumer)

kind StorageClass                             # Provisioner and parameters of dynamically provisioned volumes.
  metadata                    1 ObjectMeta
  provisioner                 2 string!       # Provisioner of volumes of this class.
  parameters                  3 {string}      # Parameters for the provisioner.
  reclaimPolicy               4 core/v1.PersistentVolumeReclaimPolicy? =Delete # Reclaim policy of volumes: Delete or Retain.
  mountOptions                5 [string]      # Mount options.
  allowVolumeExpansion        6 bool?         # Volumes can be expanded.
  volumeBindingMode           7 VolumeBindingMode? =Immediate # Immediate or WaitForFirstConsumer.
  allowedTopologies           8 [core/v1.TopologySelectorTerm]
`;
