/** Leases, by which one of several programs is the leader. */
export const coordination = `
group coordination.k8s.io/v1 io.k8s.api.coordination.v1

alias CoordinatedLeaseStrategy string

kind Lease                                    # Says who may act for now, until it is renewed or runs out.
  metadata                    1 ObjectMeta
  spec                        2 LeaseSpec

type LeaseSpec                                # Who holds a lease, and since when.
  holderIdentity              1 string?       # Who holds it now; nobody when empty.
  leaseDurationSeconds        2 int32?        # How long others wait after the last renewal before they take it.
  acquireTime                 3 microtime?    # When its holder got it.
  renewTime                   4 microtime?    # When its holder last renewed it.
  leaseTransitions            5 int32?        # How often it went from one holder to another.
  strategy                    6 CoordinatedLeaseStrategy? # How the holder is chosen, if others choose it.
  preferredHolder             7 string?       # Who should hold it, if that is not who does.
`;
