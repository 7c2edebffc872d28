/** What objects of all groups are made of, and what travels in requests only. */
export const meta = `
group meta/v1 io.k8s.apimachinery.pkg.apis.meta.v1

alias UID string package(types)
alias FieldsV1 any
alias ManagedFieldsOperationType string
alias DeletionPropagation string
alias StatusReason string
alias CauseType string
alias LabelSelectorOperator string
alias ConditionStatus string

type ObjectMeta                               # What every object has, whatever its kind.
  name                        1 string        # Names the object among those of its kind in its namespace. It cannot be changed.
  generateName                2 string        # The beginning of a name that the server completes when there is no name.
  namespace                   3 string        # The namespace that the object lives in. It cannot be changed.
  selfLink                    4 string        # No longer used.
  uid                         5 UID           # Tells this object from all others, also from earlier ones of the same name. Set by the server.
  resourceVersion             6 string        # Names this state of the object. Send it back with an update to be told if somebody was faster.
  generation                  7 int64         # Counts the changes of the desired state. Set by the server.
  creationTimestamp           8 time?         # When the object was created. Set by the server.
  deletionTimestamp           9 time?         # When the object was asked to go; it stays until its finalizers are gone. Set by the server.
  deletionGracePeriodSeconds 10 int64?        # How long the object may take to end well. Set by the server.
  labels                     11 {string}      # Short facts by which objects are selected.
  annotations                12 {string}      # Notes for people and tools, which cannot be selected by.
  ownerReferences            13 [OwnerReference] map(uid) merge(uid) # The objects that this one depends on; when all are gone, so is this one.
  finalizers                 14 [string] set merge # Who has work to do before the object may vanish.
  managedFields              17 [ManagedFieldsEntry] # Who wrote which fields. Kept by the server.

type OwnerReference atomic                    # Points to an object that owns this one.
  apiVersion                  5 string!       # The group and version of the owner.
  kind                        1 string!       # The kind of the owner.
  name                        3 string!       # The name of the owner.
  uid                         4 UID!          # The uid of the owner.
  controller                  6 bool?         # Whether this owner manages the object; at most one does.
  blockOwnerDeletion          7 bool?         # Whether foreground deletion of the owner waits for this object.

type ManagedFieldsEntry                       # The fields that one manager wrote last.
  manager                     1 string        # Who wrote them.
  operation                   2 ManagedFieldsOperationType # Apply or Update.
  apiVersion                  3 string        # The version in which the fields are named.
  time                        4 time?         # When the set of fields last changed.
  fieldsType                  6 string        # How the fields are written down: FieldsV1.
  fieldsV1                    7 FieldsV1?     # The fields, as a tree.
  subresource                 8 string        # The part of the object through which they were written.

type ListMeta                                 # What every list has.
  selfLink                    1 string        # No longer used.
  resourceVersion             2 string        # The state of the server that the list shows; watch from here.
  continue                    3 string        # Send it back to get the next part of the list.
  remainingItemCount          4 int64?        # How many objects follow, if that is known.

type LabelSelector atomic                     # Selects objects by their labels. All that is said must hold.
  matchLabels                 1 {string}      # Labels and the values they must have.
  matchExpressions            2 [LabelSelectorRequirement] # Further demands on labels.

type LabelSelectorRequirement                 # A demand on one label.
  key                         1 string!       # The label.
  operator                    2 LabelSelectorOperator! # In, NotIn, Exists or DoesNotExist.
  values                      3 [string]      # The values for In and NotIn.

type Condition                                # One thing that can be said about the state of an object.
  type                        1 string!       # What it is about, such as Ready.
  status                      2 ConditionStatus! # True, False or Unknown.
  observedGeneration          3 int64         # The generation of the object that this is about.
  lastTransitionTime          4 time!         # When the status last changed.
  reason                      5 string!       # Why, in one word for programs.
  message                     6 string!       # Why, in words for people.

kind DeleteOptions                            # How an object is to be deleted.
  gracePeriodSeconds          1 int64?        # How long the object may take to end well; 0 is at once.
  preconditions               2 Preconditions?
  orphanDependents            3 bool?         # Use propagationPolicy instead.
  propagationPolicy           4 DeletionPropagation? # What happens to what the object owns: Orphan, Background or Foreground.
  dryRun                      5 [string]      # All: do everything but the deletion.
  ignoreStoreReadErrorWithClusterBreakingPotential 6 bool? # Delete the object even if it cannot be read.

type Preconditions                            # What must be true of an object before it is touched.
  uid                         1 UID?          # Its uid.
  resourceVersion             2 string?       # Its resourceVersion.

type Patch                                     # A change to an object, in the format that the content type names.

kind Status                                   # How a request went that returns nothing else.
  metadata                    1 ListMeta
  status                      2 string        # Success or Failure.
  message                     3 string        # What happened, in words for people.
  reason                      4 StatusReason  # Why it failed, in one word for programs.
  details                     5 StatusDetails?
  code                        6 int32         # The HTTP status.

type StatusDetails                            # What a failure is about.
  name                        1 string        # The name of the object.
  group                       2 string        # The group of the object.
  kind                        3 string        # The kind of the object.
  uid                         6 UID           # The uid of the object.
  causes                      4 [StatusCause] # What led to the failure, one by one.
  retryAfterSeconds           5 int32         # How long to wait before another try.

type StatusCause                              # One of the things that led to a failure.
  reason                      1 CauseType     # Why, in one word for programs.
  message                     2 string        # Why, in words for people.
  field                       3 string        # The field that is to blame.
`;
