/** The part of autoscaling that other kinds show as their /scale. */
export const autoscaling = `
group autoscaling/v1 io.k8s.api.autoscaling.v1

kind Scale                                    # How many there should be of something, and how many there are.
  metadata                    1 ObjectMeta
  spec                        2 ScaleSpec
  status                      3 ScaleStatus

type ScaleSpec                                # How many there should be.
  replicas                    1 int32         # The number.

type ScaleStatus                              # How many there are.
  replicas                    1 int32!        # The number.
  selector                    2 string        # The labels by which to find them.
`;
