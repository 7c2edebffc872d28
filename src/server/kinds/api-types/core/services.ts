/** Services and what is behind them. */
export const services = `
group core/v1 io.k8s.api.core.v1

alias ServiceType string in(ClusterIP,ExternalName,LoadBalancer,NodePort)
alias ServiceAffinity string in(ClientIP,None)
alias ServiceExternalTrafficPolicy string in(Cluster,Local)
alias IPFamily string in(,IPv4,IPv6)
alias IPFamilyPolicy string in(PreferDualStack,RequireDualStack,SingleStack)
alias ServiceInternalTrafficPolicy string in(Cluster,Local)
alias LoadBalancerIPMode string

kind Service                                  # A name and ports under which pods are reached. Addresses are not given out here.
  metadata                    1 ObjectMeta
  spec                        2 ServiceSpec
  status                      3 ServiceStatus

type ServiceSpec                              # Which pods, and under which ports.
  ports                       1 [ServicePort] map(port,protocol) merge(port) # The ports.
  selector                    2 {string} atomic # The labels of the pods.
  clusterIP                   3 string        # Its address in the cluster, or None for none. It cannot be changed.
  clusterIPs                 18 [string]      # Its addresses in the cluster.
  type                        4 ServiceType =ClusterIP # ClusterIP, NodePort, LoadBalancer or ExternalName.
  externalIPs                 5 [string]      # Further addresses.
  sessionAffinity             7 ServiceAffinity =None # ClientIP or None.
  loadBalancerIP              8 string        # The address that the load balancer should have.
  loadBalancerSourceRanges    9 [string]      # Who may come in through the load balancer.
  externalName               10 string        # The name that the service stands for.
  externalTrafficPolicy      11 ServiceExternalTrafficPolicy # Cluster or Local, for requests from outside.
  healthCheckNodePort        12 int32         # The port at which nodes say whether they have pods of it.
  publishNotReadyAddresses   13 bool          # Whether pods count that are not ready.
  sessionAffinityConfig      14 SessionAffinityConfig?
  ipFamilies                 19 [IPFamily]    # IPv4, IPv6 or both.
  ipFamilyPolicy             17 IPFamilyPolicy? # SingleStack, PreferDualStack or RequireDualStack.
  allocateLoadBalancerNodePorts 20 bool?      # Whether a load balancer needs ports of nodes.
  loadBalancerClass          21 string?       # Who makes the load balancer.
  internalTrafficPolicy      22 ServiceInternalTrafficPolicy? # Cluster or Local, for requests from inside.
  trafficDistribution        23 string?       # Which pods to prefer.

type ServicePort                              # A port of a service.
  name                        1 string        # Its name, needed when there are several.
  protocol                    2 Protocol =TCP published # TCP, UDP or SCTP.
  appProtocol                 6 string?       # The protocol that is spoken.
  port                        3 int32!        # The port.
  targetPort                  4 intOrString   # The port of the pods, by number or name.
  nodePort                    5 int32         # The port of every node.

type SessionAffinityConfig                    # How long a client stays with a pod.
  clientIP                    1 ClientIPConfig?

type ClientIPConfig                           # The same, for clients told apart by their address.
  timeoutSeconds              1 int32?

type ServiceStatus                            # How a service is.
  loadBalancer                1 LoadBalancerStatus
  conditions                  2 [Condition] map(type) merge(type) # What can be said about its state.

type LoadBalancerStatus                       # How a load balancer is.
  ingress                     1 [LoadBalancerIngress]

type LoadBalancerIngress                      # A way in through a load balancer.
  ip                          1 string
  hostname                    2 string
  ipMode                      3 LoadBalancerIPMode?
  ports                       4 [PortStatus]

type PortStatus                               # A port of a load balancer, and what is wrong with it.
  port                        1 int32!
  protocol                    2 Protocol!
  error                       3 string?

kind Endpoints                                # The addresses behind a service, in their older form.
  metadata                    1 ObjectMeta
  subsets                     2 [EndpointSubset] # The addresses, by their ports.

type EndpointSubset                           # Addresses that have the same ports.
  addresses                   1 [EndpointAddress]
  notReadyAddresses           2 [EndpointAddress]
  ports                       3 [EndpointPort]

type EndpointAddress atomic                   # An address, and who has it.
  ip                          1 string!
  hostname                    3 string
  nodeName                    4 string?
  targetRef                   2 ObjectReference?

type EndpointPort atomic                      # A port behind a service.
  name                        1 string
  port                        2 int32!
  protocol                    3 Protocol =TCP
  appProtocol                 4 string?
`;
