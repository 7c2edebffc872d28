/** The core group, which has no name. */
export const core = `
group core/v1 io.k8s.api.core.v1

alias SecretType string
alias FinalizerName string
alias NamespacePhase string in(Active,Terminating)
alias NamespaceConditionType string
alias ConditionStatus string

kind ConfigMap                                # Settings for programs to read.
  metadata                    1 ObjectMeta
  immutable                   4 bool?         # Whether the data can no longer be changed.
  data                        2 {string}      # The settings, as texts.
  binaryData                  3 {bytes}       # Settings that are not texts, in base64.

kind Secret                                   # Settings that not everybody may see, such as passwords.
  metadata                    1 ObjectMeta
  immutable                   5 bool?         # Whether the data can no longer be changed.
  data                        2 {bytes}       # The secrets, in base64.
  stringData                  4 {string}      # Secrets as texts: they become part of data, and are never shown.
  type                        3 SecretType =Opaque # What the secret is for. It cannot be changed.

kind ServiceAccount                           # An identity for programs.
  metadata                    1 ObjectMeta
  secrets                     2 [ObjectReference] map(name) merge(name) # Secrets that programs with this identity use.
  imagePullSecrets            3 [LocalObjectReference] # Secrets for fetching images.
  automountServiceAccountToken 4 bool?        # Whether programs are given a token by themselves.

kind Namespace                                # A space of names for other objects, which go when it goes.
  metadata                    1 ObjectMeta
  spec                        2 NamespaceSpec
  status                      3 NamespaceStatus

type NamespaceSpec                            # What keeps a namespace.
  finalizers                  1 [FinalizerName] # Who has work to do before the namespace may vanish.

type NamespaceStatus                          # How a namespace is.
  phase                       1 NamespacePhase # Active, or Terminating while it is being emptied.
  conditions                  2 [NamespaceCondition] map(type) merge(type) # What stands in the way of its deletion.

type NamespaceCondition                       # One thing that can be said about the state of a namespace.
  type                        1 NamespaceConditionType! # What it is about.
  status                      2 ConditionStatus! # True, False or Unknown.
  lastTransitionTime          4 time          # When the status last changed.
  reason                      5 string        # Why, in one word for programs.
  message                     6 string        # Why, in words for people.

kind Event                                    # Something that happened to an object. Events vanish after a while.
  metadata                    1 ObjectMeta!
  involvedObject              2 ObjectReference!
  reason                      3 string        # Why it happened, in one word for programs.
  message                     4 string        # What happened, in words for people.
  source                      5 EventSource
  firstTimestamp              6 time          # When it happened first.
  lastTimestamp               7 time          # When it happened last.
  count                       8 int32         # How often it happened.
  type                        9 string        # Normal or Warning.
  eventTime                  10 microtime     # When it happened.
  series                     11 EventSeries?
  action                     12 string        # What was done or failed.
  related                    13 ObjectReference?
  reportingComponent         14 string*       # Who reports it, such as demo.dev/controller.
  reportingInstance          15 string*       # Which of the reporters it was.

type EventSeries                              # How often and until when something went on happening.
  count                       1 int32         # How often it happened so far.
  lastObservedTime            2 microtime     # When it happened last.

type EventSource                              # Where an event comes from.
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
