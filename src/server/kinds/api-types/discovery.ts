/** Endpoint slices. */
export const discovery = `
group discovery.k8s.io/v1 io.k8s.api.discovery.v1

alias AddressType string in(FQDN,IPv4,IPv6)

kind EndpointSlice                            # Addresses behind a service.
  metadata                    1 ObjectMeta
  addressType                 4 AddressType!  # IPv4, IPv6 or FQDN. It cannot be changed.
  endpoints                   2 [Endpoint]!   # Endpoints of the slice.
  ports                       3 [EndpointPort]* # The ports that all of them have.

type Endpoint                                 # A pod or another thing behind a service.
  addresses                   1 [string]! set
  conditions                  2 EndpointConditions
  hostname                    3 string?
  targetRef                   4 core/v1.ObjectReference?
  deprecatedTopology          5 {string}
  nodeName                    6 string?
  zone                        7 string?
  hints                       8 EndpointHints?

type EndpointConditions                       # Conditions of an endpoint.
  ready                       1 bool?
  serving                     2 bool?
  terminating                 3 bool?

type EndpointHints                            # Hints for consumers of an endpoint.
  forZones                    1 [ForZone]
  forNodes                    2 [ForNode]

type ForZone                                  # A zone.
  name                        1 string!

type ForNode                                  # A node.
  name                        1 string!

type EndpointPort atomic                      # A port behind a service.
  name                        1 string? =
  protocol                    2 core/v1.Protocol? =TCP
  port                        3 int32?
  appProtocol                 4 string?
`;
