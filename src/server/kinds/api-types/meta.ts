/** Types of all groups, and bodies of requests and responses. */
export const meta = `
group meta/v1 io.k8s.apimachinery.pkg.apis.meta.v1

alias UID string package(types)
alias FieldsV1 any
alias ManagedFieldsOperationType string
alias DeletionPropagation string
alias StatusReason string
alias CauseType string
alias LabelSelectorOperator string
alias FieldSelectorOperator string
alias ConditionStatus string

type ObjectMeta                               # Metadata that every object has.
  name                        1 string        # Names the object among those of its kind in its namespace. It cannot be changed.
  generateName                2 string        # The beginning of a name that the server completes when there is no name.
  namespace                   3 string        # The namespace that the object lives in. It cannot be changed.
  selfLink                    4 string        # No longer used.
  uid                         5 UID           # Tells this object from all others, also from earlier ones of the same name. Set by the server.
  resourceVersion             6 string        # Version of the object. Send it with an update to detect concurrent changes.
  generation                  7 int64         # Counts the changes of the desired state. Set by the server.
  creationTimestamp           8 time?         # Creation time. Set by the server.
  deletionTimestamp           9 time?         # Time of the deletion request; the object stays until its finalizers are gone. Set by the server.
  deletionGracePeriodSeconds 10 int64?        # Grace period in seconds. Set by the server.
  labels                     11 {string}      # Short facts by which objects are selected.
  annotations                12 {string}      # Notes for people and tools, which cannot be selected by.
  ownerReferences            13 [OwnerReference] map(uid) merge(uid) # The objects that this one depends on; when all are gone, so is this one.
  finalizers                 14 [string] set merge # Finalizers: the object is removed when the list is empty.
  managedFields              17 [ManagedFieldsEntry] # Field managers and the fields they set. Maintained by the server.

type OwnerReference atomic                    # Points to an object that owns this one.
  apiVersion                  5 string!       # The group and version of the owner.
  kind                        1 string!       # The kind of the owner.
  name                        3 string!       # The name of the owner.
  uid                         4 UID!          # The uid of the owner.
  controller                  6 bool?         # This owner manages the object; at most one owner does.
  blockOwnerDeletion          7 bool?         # Foreground deletion of the owner waits for this object.

type ManagedFieldsEntry                       # The fields that one manager wrote last.
  manager                     1 string        # Name of the field manager.
  operation                   2 ManagedFieldsOperationType # Apply or Update.
  apiVersion                  3 string        # The version in which the fields are named.
  time                        4 time?         # Time of the last change of the set of fields.
  fieldsType                  6 string        # Format of the fields: FieldsV1.
  fieldsV1                    7 FieldsV1?     # The fields, as a tree.
  subresource                 8 string        # The part of the object through which they were written.

type ListMeta                                 # Metadata that every list has.
  selfLink                    1 string        # No longer used.
  resourceVersion             2 string        # The state of the server that the list shows; watch from here.
  continue                    3 string        # Send it back to get the next part of the list.
  remainingItemCount          4 int64?        # Number of objects after this part, if known.

type LabelSelector atomic                     # Selects objects by their labels. All requirements must hold.
  matchLabels                 1 {string}      # Labels and the values they must have.
  matchExpressions            2 [LabelSelectorRequirement] # Further requirements on labels.

type LabelSelectorRequirement                 # Requirement on one label.
  key                         1 string!       # The label.
  operator                    2 LabelSelectorOperator! # In, NotIn, Exists or DoesNotExist.
  values                      3 [string]      # The values for In and NotIn.

type FieldSelectorRequirement                 # Requirement on one field.
  key                         1 string!       # The field.
  operator                    2 FieldSelectorOperator! # In, NotIn, Exists or DoesNotExist.
  values                      3 [string]      # The values for In and NotIn.

type Condition                                # Condition of an object.
  type                        1 string!       # Type of the condition, such as Ready.
  status                      2 ConditionStatus! # True, False or Unknown.
  observedGeneration          3 int64         # The generation of the object that this is about.
  lastTransitionTime          4 time!         # Time of the last change of the status.
  reason                      5 string!       # Machine-readable reason, one CamelCase word.
  message                     6 string!       # Human-readable explanation.

kind DeleteOptions                            # Options of a delete request.
  gracePeriodSeconds          1 int64?        # Grace period in seconds; 0 deletes at once.
  preconditions               2 Preconditions?
  orphanDependents            3 bool?         # Use propagationPolicy instead.
  propagationPolicy           4 DeletionPropagation? # Deletion of dependents: Orphan, Background or Foreground.
  dryRun                      5 [string]      # All: do everything but the deletion.
  ignoreStoreReadErrorWithClusterBreakingPotential 6 bool? # Delete the object even if it cannot be read.

type Preconditions                            # Preconditions of a write.
  uid                         1 UID?          # Its uid.
  resourceVersion             2 string?       # Its resourceVersion.

type Patch                                     # A change to an object, in the format that the content type names.

kind Status                                   # Result of a request that returns no object.
  metadata                    1 ListMeta
  status                      2 string        # Success or Failure.
  message                     3 string        # Human-readable description of what happened.
  reason                      4 StatusReason  # Machine-readable reason of the failure, one CamelCase word.
  details                     5 StatusDetails?
  code                        6 int32         # The HTTP status.

type StatusDetails                            # Details of a failure.
  name                        1 string        # The name of the object.
  group                       2 string        # The group of the object.
  kind                        3 string        # The kind of the object.
  uid                         6 UID           # The uid of the object.
  causes                      4 [StatusCause] # Causes of the failure.
  retryAfterSeconds           5 int32         # Seconds to wait before a retry.

type StatusCause                              # One cause of a failure.
  reason                      1 CauseType     # Machine-readable reason, one CamelCase word.
  message                     2 string        # Human-readable explanation.
  field                       3 string        # The field that is to blame.
`;
