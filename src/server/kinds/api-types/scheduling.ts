/** How important pods are. */
export const scheduling = `
group scheduling.k8s.io/v1 io.k8s.api.scheduling.v1

kind PriorityClass                            # How important pods are.
  metadata                    1 ObjectMeta
  value                       2 int32!        # The priority. It cannot be changed.
  globalDefault               3 bool          # Whether pods have it that name none.
  description                 4 string        # What it is for.
  preemptionPolicy            5 core/v1.PreemptionPolicy? =PreemptLowerPriority # Never or PreemptLowerPriority.
`;
