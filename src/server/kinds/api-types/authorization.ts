/** Access reviews: questions about users and what they may do. */
export const authorization = `
group authentication.k8s.io/v1 io.k8s.api.authentication.v1

kind SelfSubjectReview                        # Asks who the user of the request is.
  metadata                    1 ObjectMeta
  status                      2 SelfSubjectReviewStatus

type SelfSubjectReviewStatus                  # The user of the request.
  userInfo                    1 UserInfo

type UserInfo                                 # An authenticated user.
  username                    1 string        # Name of the user.
  uid                         2 string        # Tells users with the same name apart.
  groups                      3 [string]      # Groups of the user.
  extra                       4 {[string]}    # Further facts about the user.

group authorization.k8s.io/v1 io.k8s.api.authorization.v1

kind SelfSubjectAccessReview                  # Asks whether the user of the request may do something.
  metadata                    1 ObjectMeta
  spec                        2 SelfSubjectAccessReviewSpec!
  status                      3 SubjectAccessReviewStatus

type SelfSubjectAccessReviewSpec              # The action. Exactly one of the fields is set.
  resourceAttributes          1 ResourceAttributes?
  nonResourceAttributes       2 NonResourceAttributes?

kind SelfSubjectRulesReview                   # Asks for everything that the user of the request may do in a namespace.
  metadata                    1 ObjectMeta
  spec                        2 SelfSubjectRulesReviewSpec!
  status                      3 SubjectRulesReviewStatus

type SelfSubjectRulesReviewSpec               # The namespace.
  namespace                   1 string        # The namespace. Required.

type SubjectRulesReviewStatus                 # Rules that apply to the user.
  resourceRules               1 [ResourceRule]! # Actions on objects, in any order.
  nonResourceRules            2 [NonResourceRule]! # Actions on other paths, in any order.
  incomplete                  3 bool!         # There may be further rules.
  evaluationError             4 string        # Error that kept rules from being found.

type ResourceRule                             # Verbs on objects that are allowed.
  verbs                       1 [string]!     # The verbs, or * for all.
  apiGroups                   2 [string]      # The groups of the kinds, or * for all.
  resources                   3 [string]      # The kinds by their plurals, or * for all.
  resourceNames               4 [string]      # The objects; all when empty.

type NonResourceRule                          # Verbs on paths that are allowed.
  verbs                       1 [string]!     # HTTP methods in lower case, or * for all.
  nonResourceURLs             2 [string]      # The paths; * at the end stands for any rest.

kind SubjectAccessReview                      # Asks whether a user may do something.
  metadata                    1 ObjectMeta
  spec                        2 SubjectAccessReviewSpec!
  status                      3 SubjectAccessReviewStatus

kind LocalSubjectAccessReview                 # Asks whether a user may do something in a namespace.
  metadata                    1 ObjectMeta
  spec                        2 SubjectAccessReviewSpec!
  status                      3 SubjectAccessReviewStatus

type SubjectAccessReviewSpec                  # The user and the action. Exactly one of the two kinds of attributes is set.
  resourceAttributes          1 ResourceAttributes?
  nonResourceAttributes       2 NonResourceAttributes?
  user                        3 string        # Name of the user.
  groups                      4 [string]      # Groups of the user.
  extra                       5 {[string]}    # Further facts about the user.
  uid                         6 string        # Tells users with the same name apart.

type ResourceAttributes                       # An action on objects.
  namespace                   1 string        # The namespace; all when empty.
  verb                        2 string        # The verb, or * for all.
  group                       3 string        # The group of the kind, or * for all.
  version                     4 string        # The version of the kind, or * for all.
  resource                    5 string        # The kind by its plural, or * for all.
  subresource                 6 string        # The part of the object.
  name                        7 string        # The object; all when empty.
  fieldSelector               8 FieldSelectorAttributes?
  labelSelector               9 LabelSelectorAttributes?

type FieldSelectorAttributes                  # Field selector of a list, watch or deletecollection.
  rawSelector                 1 string        # The selector as in a query.
  requirements                2 [FieldSelectorRequirement] # The selector in parts.

type LabelSelectorAttributes                  # Label selector of a list, watch or deletecollection.
  rawSelector                 1 string        # The selector as in a query.
  requirements                2 [LabelSelectorRequirement] # The selector in parts.

type NonResourceAttributes                    # A request to a path that is no object.
  path                        1 string        # The path.
  verb                        2 string        # The HTTP method in lower case.

type SubjectAccessReviewStatus                # The decision.
  allowed                     1 bool!         # The action is allowed.
  denied                      4 bool          # The action is denied whatever others decide.
  reason                      2 string        # Reason of the decision.
  evaluationError             3 string        # Error of the authorizer.
`;
