/** Priority classes. */
export const scheduling = `
group scheduling.k8s.io/v1 io.k8s.api.scheduling.v1

kind PriorityClass                            # Priority of pods.
  metadata                    1 ObjectMeta
  value                       2 int32!        # The priority. It cannot be changed.
  globalDefault               3 bool          # Default for pods that name no priority class.
  description                 4 string        # Purpose of the class.
  preemptionPolicy            5 core/v1.PreemptionPolicy? =PreemptLowerPriority # Never or PreemptLowerPriority.
`;
