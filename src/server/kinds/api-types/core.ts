/** Core group: configuration, namespaces and events. */
export const core = `
group core/v1 io.k8s.api.core.v1

alias SecretType string
alias FinalizerName string
alias NamespacePhase string in(Active,Terminating)
alias NamespaceConditionType string
alias ConditionStatus string

kind ConfigMap                                # Configuration for programs.
  metadata                    1 ObjectMeta
  immutable                   4 bool?         # The data cannot be changed.
  data                        2 {string}      # The settings, as texts.
  binaryData                  3 {bytes}       # Settings that are not texts, in base64.

kind Secret                                   # Confidential configuration, such as passwords.
  metadata                    1 ObjectMeta
  immutable                   5 bool?         # The data cannot be changed.
  data                        2 {bytes}       # The secrets, in base64.
  stringData                  4 {string}      # Secrets as texts: they become part of data, and are never shown.
  type                        3 SecretType =Opaque # Type of the secret. Cannot be changed.

kind ServiceAccount                           # An identity for programs.
  metadata                    1 ObjectMeta
  secrets                     2 [ObjectReference] map(name) merge(name) # Secrets that programs with this identity use.
  imagePullSecrets            3 [LocalObjectReference] # Secrets for fetching images.
  automountServiceAccountToken 4 bool?        # Mount a token of this account into pods.

kind Namespace                                # Scope for names of other objects; deleting it deletes them.
  metadata                    1 ObjectMeta
  spec                        2 NamespaceSpec
  status                      3 NamespaceStatus

type NamespaceSpec                            # Desired state of a namespace.
  finalizers                  1 [FinalizerName] # Finalizers: the namespace is removed when the list is empty.

type NamespaceStatus                          # Status of a namespace.
  phase                       1 NamespacePhase # Active, or Terminating while it is being emptied.
  conditions                  2 [NamespaceCondition] map(type) merge(type) # Conditions of its deletion.

type NamespaceCondition                       # Condition of a namespace.
  type                        1 NamespaceConditionType! # Type of the condition.
  status                      2 ConditionStatus! # True, False or Unknown.
  lastTransitionTime          4 time          # Time of the last change of the status.
  reason                      5 string        # Machine-readable reason, one CamelCase word.
  message                     6 string        # Human-readable explanation.

kind Event                                    # Report of something that happened to an object. Events expire.
  metadata                    1 ObjectMeta!
  involvedObject              2 ObjectReference!
  reason                      3 string        # Machine-readable reason, one CamelCase word.
  message                     4 string        # Human-readable description of what happened.
  source                      5 EventSource
  firstTimestamp              6 time          # Time of the first occurrence.
  lastTimestamp               7 time          # Time of the last occurrence.
  count                       8 int32         # Number of occurrences.
  type                        9 string        # Normal or Warning.
  eventTime                  10 microtime     # Time of the event.
  series                     11 EventSeries?
  action                     12 string        # Action that was taken or failed.
  related                    13 ObjectReference?
  reportingComponent         14 string*       # Controller that reports it, such as demo.dev/controller.
  reportingInstance          15 string*       # Instance of the reporting controller.

type EventSeries                              # Series of repeated occurrences of an event.
  count                       1 int32         # Number of occurrences so far.
  lastObservedTime            2 microtime     # Time of the last occurrence.

type EventSource                              # Source of an event.
  component                   1 string        # The program.
  host                        2 string        # The machine.

type ObjectReference atomic                   # Points to another object.
  kind                        1 string        # Its kind.
  namespace                   2 string        # Its namespace.
  name                        3 string        # Its name.
  uid                         4 UID           # Its uid.
  apiVersion                  5 string        # Its group and version.
  resourceVersion             6 string        # The state of it that is meant.
  fieldPath                   7 string        # The part of it that is meant.

type LocalObjectReference atomic              # Points to an object in the same namespace.
  name                        1 string published # Its name.
`;
