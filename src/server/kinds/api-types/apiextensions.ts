/** Custom resource definitions. */
export const apiextensions = `
group apiextensions.k8s.io/v1 io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1

alias ConversionStrategyType string
alias ResourceScope string
alias ConditionStatus string
alias CustomResourceDefinitionConditionType string
alias JSONSchemaURL string
alias FieldValueErrorReason string in(FieldValueDuplicate,FieldValueForbidden,FieldValueInvalid,FieldValueRequired)
alias JSON any

kind CustomResourceDefinition                 # Defines a kind that the server then serves as its own.
  metadata                    1 ObjectMeta
  spec                        2 CustomResourceDefinitionSpec!
  status                      3 CustomResourceDefinitionStatus

type CustomResourceDefinitionSpec             # Names, scope and versions of the kind.
  group                       1 string!       # The group it is served in, such as demo.dev.
  names                       3 CustomResourceDefinitionNames!
  scope                       4 ResourceScope! # Namespaced or Cluster.
  versions                    7 [CustomResourceDefinitionVersion]! # The versions of the kind. All are served from the same objects.
  conversion                  9 CustomResourceConversion?
  preserveUnknownFields      10 bool          # Must be false; use x-kubernetes-preserve-unknown-fields in the schema.

type CustomResourceConversion                 # Conversion between versions.
  strategy                    1 ConversionStrategyType! # None (only the apiVersion changes) or Webhook.
  webhook                     2 WebhookConversion?

type WebhookConversion                        # A program that converts objects.
  clientConfig                2 WebhookClientConfig?
  conversionReviewVersions    3 [string]!     # The versions of ConversionReview that it understands.

type WebhookClientConfig                      # Address of a webhook.
  url                         3 string?       # Its address, or else its service.
  service                     1 ServiceReference?
  caBundle                    2 bytes         # The certificates that its certificate is checked with, in PEM and base64.

type ServiceReference                         # A service by name.
  namespace                   1 string!       # Its namespace.
  name                        2 string!       # Its name.
  path                        3 string?       # The path of the request.
  port                        4 int32?        # The port. Default 443.

type CustomResourceDefinitionVersion          # One version of a kind.
  name                        1 string!       # Its name, such as v1 or v1beta1.
  served                      2 bool!         # The version is served.
  storage                     3 bool!         # Storage version; true for exactly one version.
  deprecated                  7 bool          # Send a deprecation warning with responses.
  deprecationWarning          8 string?       # Text of the deprecation warning.
  schema                      4 CustomResourceValidation?
  subresources                5 CustomResourceSubresources?
  additionalPrinterColumns    6 [CustomResourceColumnDefinition] # The columns of kubectl get.
  selectableFields            9 [SelectableField] # Fields that field selectors may name.

type SelectableField                          # A field that field selectors may name.
  jsonPath                    1 string!       # JSON path of the field, such as .spec.color.

type CustomResourceColumnDefinition           # A column of kubectl get.
  name                        1 string!       # Its heading.
  type                        2 string!       # integer, number, string, boolean or date.
  format                      3 string        # Format for clients.
  description                 4 string        # Description of the column.
  priority                    5 int32         # Above 0: shown with -o wide only.
  jsonPath                    6 string!       # JSON path of its value, such as .spec.size.

type CustomResourceDefinitionNames            # Names of a kind.
  plural                      1 string!       # In URLs: lower case, and many of them.
  singular                    2 string        # One of them, in lower case.
  shortNames                  3 [string]      # Shorter names for the command line.
  kind                        4 string!       # The kind, as in objects.
  listKind                    5 string        # The kind of lists of it.
  categories                  6 [string]      # Names for groups of kinds, such as all.

type CustomResourceDefinitionCondition        # Condition of a definition.
  type                        1 CustomResourceDefinitionConditionType! # Type of the condition, such as Established.
  status                      2 ConditionStatus! # True, False or Unknown.
  lastTransitionTime          3 time          # Time of the last change of the status.
  reason                      4 string        # Machine-readable reason, one CamelCase word.
  message                     5 string        # Human-readable explanation.

type CustomResourceDefinitionStatus           # Status of a definition.
  conditions                  1 [CustomResourceDefinitionCondition]* map(type) # Conditions such as NamesAccepted and Established.
  acceptedNames               2 CustomResourceDefinitionNames
  storedVersions              3 [string]*     # Versions in which objects may be stored.

type CustomResourceValidation                 # Schema of a version.
  openAPIV3Schema             1 JSONSchemaProps?

type CustomResourceSubresources               # Parts of objects with rules of their own.
  status                      1 CustomResourceSubresourceStatus?
  scale                       2 CustomResourceSubresourceScale?

type CustomResourceSubresourceStatus          # Its presence enables the status subresource.

type CustomResourceSubresourceScale           # JSON paths for the scale subresource.
  specReplicasPath            1 string!       # JSON path of the desired number, such as .spec.replicas.
  statusReplicasPath          2 string!       # JSON path of the current number, such as .status.replicas.
  labelSelectorPath           3 string?       # The labels by which to find them, as a text.

type JSONSchemaProps                          # Schema of a value: OpenAPI v3 with Kubernetes' extensions.
  id                          1 string
  $schema                     2 JSONSchemaURL
  $ref                        3 string?
  description                 4 string
  type                        5 string
  format                      6 string
  title                       7 string
  default                     8 JSON?
  maximum                     9 double?
  exclusiveMaximum           10 bool
  minimum                    11 double?
  exclusiveMinimum           12 bool
  maxLength                  13 int64?
  minLength                  14 int64?
  pattern                    15 string
  maxItems                   16 int64?
  minItems                   17 int64?
  uniqueItems                18 bool
  multipleOf                 19 double?
  enum                       20 [JSON]
  maxProperties              21 int64?
  minProperties              22 int64?
  required                   23 [string]
  items                      24 JSONSchemaPropsOrArray?
  allOf                      25 [JSONSchemaProps]
  oneOf                      26 [JSONSchemaProps]
  anyOf                      27 [JSONSchemaProps]
  not                        28 JSONSchemaProps?
  properties                 29 {JSONSchemaProps}
  additionalProperties       30 JSONSchemaPropsOrBool?
  patternProperties          31 {JSONSchemaProps}
  dependencies               32 {JSONSchemaPropsOrStringArray}
  additionalItems            33 JSONSchemaPropsOrBool?
  definitions                34 {JSONSchemaProps}
  externalDocs               35 ExternalDocumentation?
  example                    36 JSON?
  nullable                   37 bool
  x-kubernetes-preserve-unknown-fields 38 bool?
  x-kubernetes-embedded-resource 39 bool
  x-kubernetes-int-or-string 40 bool
  x-kubernetes-list-map-keys 41 [string]
  x-kubernetes-list-type     42 string?
  x-kubernetes-map-type      43 string?
  x-kubernetes-validations   44 [ValidationRule] map(rule) merge(rule)

type ValidationRule                           # An expression that must be true.
  rule                        1 string!       # The expression, in CEL.
  message                     2 string        # Message when the rule fails.
  messageExpression           3 string        # CEL expression for the message.
  reason                      4 FieldValueErrorReason? # The reason in the error.
  fieldPath                   5 string        # The field to blame, relative to where the rule stands.
  optionalOldSelf             6 bool?         # Evaluate the rule also when there is no old value.

type ExternalDocumentation                    # Reference to external documentation.
  description                 1 string
  url                         2 string

union JSONSchemaPropsOrArray                  # One schema for all items, or one for each.
  schema                      1 JSONSchemaProps?
  jSONSchemas                 2 [JSONSchemaProps]

union JSONSchemaPropsOrBool                   # A schema, or whether anything is allowed.
  allows                      1 bool
  schema                      2 JSONSchemaProps?

union JSONSchemaPropsOrStringArray            # A schema, or names of properties.
  schema                      1 JSONSchemaProps?
  property                    2 [string]
`;
