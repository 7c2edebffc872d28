/** Services and endpoints. */
export const services = `
group core/v1 io.k8s.api.core.v1

alias ServiceType string in(ClusterIP,ExternalName,LoadBalancer,NodePort)
alias ServiceAffinity string in(ClientIP,None)
alias ServiceExternalTrafficPolicy string in(Cluster,Local)
alias IPFamily string in(,IPv4,IPv6)
alias IPFamilyPolicy string in(PreferDualStack,RequireDualStack,SingleStack)
alias ServiceInternalTrafficPolicy string in(Cluster,Local)
alias LoadBalancerIPMode string

kind Service                                  # A name and ports under which pods are reached. Nothing here forwards to them.
  metadata                    1 ObjectMeta
  spec                        2 ServiceSpec
  status                      3 ServiceStatus

type ServiceSpec                              # Selector, ports and addresses of a service.
  ports                       1 [ServicePort] map(port,protocol) merge(port) # The ports.
  selector                    2 {string} atomic # The labels of the pods.
  clusterIP                   3 string        # Its address in the cluster, or None for none. It cannot be changed.
  clusterIPs                 18 [string]      # Its addresses in the cluster.
  type                        4 ServiceType =ClusterIP # ClusterIP, NodePort, LoadBalancer or ExternalName.
  externalIPs                 5 [string]      # Further addresses.
  sessionAffinity             7 ServiceAffinity =None # ClientIP or None.
  loadBalancerIP              8 string        # The address that the load balancer should have.
  loadBalancerSourceRanges    9 [string]      # Client IP ranges that the load balancer accepts.
  externalName               10 string        # The name that the service stands for.
  externalTrafficPolicy      11 ServiceExternalTrafficPolicy # Cluster or Local, for requests from outside.
  healthCheckNodePort        12 int32         # Node port of the health check of the load balancer.
  publishNotReadyAddresses   13 bool          # Publish addresses of pods that are not ready.
  sessionAffinityConfig      14 SessionAffinityConfig?
  ipFamilies                 19 [IPFamily]    # IPv4, IPv6 or both.
  ipFamilyPolicy             17 IPFamilyPolicy? # SingleStack, PreferDualStack or RequireDualStack.
  allocateLoadBalancerNodePorts 20 bool?      # Allocate node ports for the load balancer.
  loadBalancerClass          21 string?       # Class of the load balancer implementation.
  internalTrafficPolicy      22 ServiceInternalTrafficPolicy? # Cluster or Local, for requests from inside.
  trafficDistribution        23 string?       # Preference for nearby endpoints.

type ServicePort                              # A port of a service.
  name                        1 string        # Its name, needed when there are several.
  protocol                    2 Protocol =TCP published # TCP, UDP or SCTP.
  appProtocol                 6 string?       # The protocol that is spoken.
  port                        3 int32!        # The port.
  targetPort                  4 intOrString   # The port of the pods, by number or name.
  nodePort                    5 int32         # The port of every node.

type SessionAffinityConfig                    # Configuration of session affinity.
  clientIP                    1 ClientIPConfig?

type ClientIPConfig                           # Session affinity by client IP.
  timeoutSeconds              1 int32?

type ServiceStatus                            # Status of a service.
  loadBalancer                1 LoadBalancerStatus
  conditions                  2 [Condition] map(type) merge(type) # Conditions of its state.

type LoadBalancerStatus                       # Status of a load balancer.
  ingress                     1 [LoadBalancerIngress]

type LoadBalancerIngress                      # A way in through a load balancer.
  ip                          1 string
  hostname                    2 string
  ipMode                      3 LoadBalancerIPMode?
  ports                       4 [PortStatus]

type PortStatus                               # Port of a load balancer and its error.
  port                        1 int32!
  protocol                    2 Protocol!
  error                       3 string?

kind Endpoints                                # Addresses behind a service; EndpointSlice replaces it.
  metadata                    1 ObjectMeta
  subsets                     2 [EndpointSubset] # The addresses, by their ports.

type EndpointSubset                           # Addresses that have the same ports.
  addresses                   1 [EndpointAddress]
  notReadyAddresses           2 [EndpointAddress]
  ports                       3 [EndpointPort]

type EndpointAddress atomic                   # An address and the object that has it.
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
