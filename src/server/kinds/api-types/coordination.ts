/** Leases for leader election. */
export const coordination = `
group coordination.k8s.io/v1 io.k8s.api.coordination.v1

alias CoordinatedLeaseStrategy string

kind Lease                                    # Lock with an expiry, used for leader election.
  metadata                    1 ObjectMeta
  spec                        2 LeaseSpec

type LeaseSpec                                # Holder of a lease and its times.
  holderIdentity              1 string?       # Identity of the current holder; empty when nobody holds it.
  leaseDurationSeconds        2 int32?        # Seconds after the last renewal until others may take it.
  acquireTime                 3 microtime?    # Time at which the holder acquired it.
  renewTime                   4 microtime?    # Time of the last renewal.
  leaseTransitions            5 int32?        # Number of transitions between holders.
  strategy                    6 CoordinatedLeaseStrategy? # Strategy of coordinated leader election.
  preferredHolder             7 string?       # Preferred holder, if it is not the current one.
`;
