/** Ingresses and network policies. */
export const networking = `
group networking.k8s.io/v1 io.k8s.api.networking.v1

alias PathType string in(Exact,ImplementationSpecific,Prefix)
alias PolicyType string in(Egress,Ingress)

kind Ingress                                  # Routes requests from outside to services. Stored only: nothing serves them here.
  metadata                    1 ObjectMeta
  spec                        2 IngressSpec
  status                      3 IngressStatus

type IngressSpec                              # Routing rules of an ingress.
  ingressClassName            4 string?       # The class, and so the controller.
  defaultBackend              1 IngressBackend?
  tls                         2 [IngressTLS]  # TLS certificates of hosts.
  rules                       3 [IngressRule] # Routing rules of an ingress.

type IngressBackend                           # Backend for requests.
  service                     4 IngressServiceBackend?
  resource                    3 core/v1.TypedLocalObjectReference?

type IngressServiceBackend                    # The service that requests go to.
  name                        1 string!       # The service.
  port                        2 ServiceBackendPort

type ServiceBackendPort atomic                # The port of a service, by name or number.
  name                        1 string
  number                      2 int32

type IngressTLS                               # Hosts, and the secret with their certificate.
  hosts                       1 [string]
  secretName                  2 string

type IngressRule                              # Routing of requests for one host.
  host                        1 string        # The host; all when empty.
  ingressRuleValue            2 IngressRuleValue inline

type IngressRuleValue                         # Routing of requests by protocol.
  http                        1 HTTPIngressRuleValue?

type HTTPIngressRuleValue                     # Routing of HTTP requests.
  paths                       1 [HTTPIngressPath]!

type HTTPIngressPath                          # Routing of requests for a path.
  path                        1 string        # The path.
  pathType                    3 PathType? required # Exact, Prefix or ImplementationSpecific.
  backend                     2 IngressBackend!

type IngressStatus                            # Status of an ingress.
  loadBalancer                1 IngressLoadBalancerStatus

type IngressLoadBalancerStatus                # Status of the load balancer.
  ingress                     1 [IngressLoadBalancerIngress]

type IngressLoadBalancerIngress               # A way in through a load balancer.
  ip                          1 string
  hostname                    2 string
  ports                       4 [IngressPortStatus]

type IngressPortStatus                        # Port of a load balancer and its error.
  port                        1 int32!
  protocol                    2 core/v1.Protocol!
  error                       3 string?

kind IngressClass                             # Names the controller that handles ingresses of a class.
  metadata                    1 ObjectMeta
  spec                        2 IngressClassSpec

type IngressClassSpec                         # The controller and its settings.
  controller                  1 string
  parameters                  2 IngressClassParametersReference?

type IngressClassParametersReference          # The object that holds the settings.
  apiGroup                    1 string?
  kind                        2 string!
  name                        3 string!
  scope                       4 string? =Cluster
  namespace                   5 string?

kind NetworkPolicy                            # Allowed connections of pods. Stored only: nothing enforces it here.
  metadata                    1 ObjectMeta
  spec                        2 NetworkPolicySpec

type NetworkPolicySpec                        # Selected pods and their allowed connections.
  podSelector                 1 LabelSelector
  ingress                     2 [NetworkPolicyIngressRule] # Peers that may connect to the pods.
  egress                      3 [NetworkPolicyEgressRule] # Whom the pods may talk to.
  policyTypes                 4 [PolicyType]  # Ingress, Egress or both.

type NetworkPolicyIngressRule                 # Rule for incoming connections: peers and ports.
  ports                       1 [NetworkPolicyPort]
  from                        2 [NetworkPolicyPeer]

type NetworkPolicyPort                        # A port, or a range of them.
  protocol                    1 core/v1.Protocol? =TCP
  port                        2 intOrString?
  endPort                     3 int32?

type NetworkPolicyPeer                        # Pods, namespaces or addresses.
  podSelector                 1 LabelSelector?
  namespaceSelector           2 LabelSelector?
  ipBlock                     3 IPBlock?

type IPBlock                                  # A range of addresses, with exceptions.
  cidr                        1 string!
  except                      2 [string]

type NetworkPolicyEgressRule                  # Rule for outgoing connections: peers and ports.
  ports                       1 [NetworkPolicyPort]
  to                          2 [NetworkPolicyPeer]
`;
