/** Roles and bindings. Stored, not enforced. */
export const rbac = `
group rbac.authorization.k8s.io/v1 io.k8s.api.rbac.v1

kind Role                                     # Role with permissions in a namespace. Stored only: nothing enforces it here.
  metadata                    1 ObjectMeta
  rules                       2 [PolicyRule]* # Rules of the role.

type PolicyRule                               # Rule that allows verbs on resources.
  verbs                       1 [string]!     # Verbs, or * for all.
  apiGroups                   2 [string]      # The groups of the kinds.
  resources                   3 [string]      # The kinds, by their plurals.
  resourceNames               4 [string]      # The objects; all when empty.
  nonResourceURLs             5 [string]      # Paths that are no objects.

kind RoleBinding                              # Grants a role to subjects in a namespace. Stored only: nothing enforces it here.
  metadata                    1 ObjectMeta
  subjects                    2 [Subject]     # Users, groups and service accounts that hold the role.
  roleRef                     3 RoleRef!

type Subject atomic                           # A user, a group or a service account.
  kind                        1 string!       # User, Group or ServiceAccount.
  apiGroup                    2 string        # The group of the kind; empty for service accounts.
  name                        3 string!
  namespace                   4 string

type RoleRef atomic                           # The role that is given. It cannot be changed.
  apiGroup                    1 string! =rbac.authorization.k8s.io
  kind                        2 string!
  name                        3 string!

kind ClusterRole                              # Role with permissions in all namespaces. Stored only: nothing enforces it here.
  metadata                    1 ObjectMeta
  rules                       2 [PolicyRule]* # Rules of the role.
  aggregationRule             3 AggregationRule?

type AggregationRule                          # Roles whose rules make up this one's.
  clusterRoleSelectors        1 [LabelSelector]

kind ClusterRoleBinding                       # Grants a role to subjects in all namespaces. Stored only: nothing enforces it here.
  metadata                    1 ObjectMeta
  subjects                    2 [Subject]     # Users, groups and service accounts that hold the role.
  roleRef                     3 RoleRef!
`;
