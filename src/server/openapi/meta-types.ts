import type { StructuralSchema } from "../../model/core.js";

/** A schema with the extensions that only types of Kubernetes itself have. */
interface ExtendedSchema extends StructuralSchema {
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-group-version-kind"?: readonly object[];
}

const namesOfTypes = new Map<StructuralSchema, string>();
const typesByName = new Map<string, StructuralSchema>();

/** The name of a type that documents of all groups share, if `schema` is one. */
export function metaTypeName(schema: StructuralSchema): string | undefined {
  return namesOfTypes.get(schema);
}

/** The reverse of {@link metaTypeName}. */
export function metaType(name: string): StructuralSchema | undefined {
  return typesByName.get(name);
}

const stringItem: StructuralSchema = { type: "string" };

export const apiVersionField = text(
  "The version of the schema that this object follows: group/version, or the version alone for the core group.",
);
export const kindField = text("What kind of object this is, in CamelCase. It cannot be changed.");

const time = named("meta.v1.Time", {
  description: "A time in RFC 3339, in seconds.",
  type: "string",
  format: "date-time",
});

const ownerReference = named(
  "meta.v1.OwnerReference",
  object(
    "Points to an object that owns this one. The owner is in the same namespace or in none.",
    {
      apiVersion: text("apiVersion of the owner."),
      blockOwnerDeletion: flag(
        "Whether a foreground deletion of the owner waits until this object is gone. Default false.",
      ),
      controller: flag("Whether this owner is the one that manages the object."),
      kind: text("Kind of the owner."),
      name: text("Name of the owner."),
      uid: text("Uid of the owner."),
    },
    ["apiVersion", "kind", "name", "uid"],
    { "x-kubernetes-map-type": "atomic" },
  ),
);

const fieldsV1 = named("meta.v1.FieldsV1", {
  description:
    "A set of fields as a tree: `f:name` is a field, `k:{…}` an item of a list by its keys, `v:…` one by its value.",
  type: "object",
});

const managedFieldsEntry = named(
  "meta.v1.ManagedFieldsEntry",
  object("Who wrote which fields last, and how.", {
    apiVersion: text("The version of the kind in which the fields are named."),
    fieldsType: text("The format of the fields. There is one: FieldsV1."),
    fieldsV1: of(fieldsV1, "The fields."),
    manager: text("The name under which they were written."),
    operation: text("Apply for server-side apply, Update for everything else."),
    subresource: text("The subresource that was written to, if it was one."),
    time: of(time, "When the set of fields last changed."),
  }),
);

export const objectMeta = named(
  "meta.v1.ObjectMeta",
  object("What every object has, whatever its kind.", {
    annotations: mapOf(stringItem, "Any texts that tools keep with the object. They cannot be selected by."),
    creationTimestamp: of(time, "When the object was created. Set by the server."),
    deletionGracePeriodSeconds: int64(
      "How long the object may take to end. Set by the server with a deletion.",
    ),
    deletionTimestamp: of(
      time,
      "When the deletion was asked for. The object goes once its list of finalizers is empty. Set by the server.",
    ),
    finalizers: {
      ...listOf(stringItem, "Names of those who have something to do before the object may go."),
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    },
    generateName: text("The beginning of a name that the server completes when no name is given."),
    generation: int64("Counts the changes of the desired state. Set by the server."),
    labels: mapOf(stringItem, "Short texts by which objects can be selected."),
    managedFields: {
      ...listOf(managedFieldsEntry, "Who manages which fields. Kept by the server."),
      "x-kubernetes-list-type": "atomic",
    },
    name: text("The name of the object, unique for its kind in its namespace. It cannot be changed."),
    namespace: text("The namespace of the object; empty for kinds that are in none. It cannot be changed."),
    ownerReferences: {
      ...listOf(ownerReference, "The objects that own this one. When all of them are gone, it goes as well."),
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-list-type": "map",
      "x-kubernetes-patch-merge-key": "uid",
      "x-kubernetes-patch-strategy": "merge",
    },
    resourceVersion: text("Changes with every write. To be compared for equality only. Set by the server."),
    selfLink: text("No longer set."),
    uid: text("Differs between all objects that ever were. Set by the server."),
  }),
);

export const listMeta = named(
  "meta.v1.ListMeta",
  object("What every list has.", {
    continue: text(
      "Given back with the next request, yields the next part of the list. Empty for the last part.",
    ),
    remainingItemCount: int64("How many objects come after this part, if that is known."),
    resourceVersion: text("The state that the list shows; a watch from here on misses nothing."),
    selfLink: text("No longer set."),
  }),
);

const statusCause = named(
  "meta.v1.StatusCause",
  object("One of several things that led to a failure.", {
    field: text("The field that is at fault: `spec.items[0].name`."),
    message: text("The cause, for people to read."),
    reason: text("The cause in one word."),
  }),
);

const statusDetails = named(
  "meta.v1.StatusDetails",
  object("What a Status is about.", {
    causes: { ...listOf(statusCause, "What led to the failure."), "x-kubernetes-list-type": "atomic" },
    group: text("The group of the object."),
    kind: text("The kind or the resource of the object."),
    name: text("The name of the object."),
    retryAfterSeconds: int32("How long to wait before trying again."),
    uid: text("The uid of the object."),
  }),
);

export const status = named(
  "meta.v1.Status",
  object(
    "The answer to a request that failed or that has nothing else to return.",
    {
      apiVersion: apiVersionField,
      code: int32("The HTTP code."),
      details: of(statusDetails, "What the Status is about."),
      kind: kindField,
      message: text("What happened, for people to read."),
      metadata: of(listMeta, "Metadata of the answer."),
      reason: text("Why it failed, in one word."),
      status: text("Success or Failure."),
    },
    [],
    groupVersionKind("Status"),
  ),
);

const preconditions = named(
  "meta.v1.Preconditions",
  object("What must hold for a deletion to happen.", {
    resourceVersion: text("The resourceVersion that the object must have."),
    uid: text("The uid that the object must have."),
  }),
);

export const deleteOptions = named(
  "meta.v1.DeleteOptions",
  object(
    "How to delete.",
    {
      apiVersion: apiVersionField,
      dryRun: {
        ...listOf(stringItem, "All: do everything but the deletion."),
        "x-kubernetes-list-type": "atomic",
      },
      gracePeriodSeconds: int64("How long the object may take to end; 0 for at once."),
      ignoreStoreReadErrorWithClusterBreakingPotential: flag("Delete even what cannot be read."),
      kind: kindField,
      orphanDependents: flag(
        "Deprecated: use propagationPolicy. Whether what the object owns is left alone.",
      ),
      preconditions: of(preconditions, "What must hold. Otherwise the answer is a conflict."),
      propagationPolicy: text(
        "What happens to what the object owns: Background (goes afterwards), Foreground (goes before), Orphan (stays).",
      ),
    },
    [],
    groupVersionKind("DeleteOptions"),
  ),
);

export const patch = named("meta.v1.Patch", {
  description: "A change to an object, in the format that the content type says.",
  type: "object",
});

const scaleSpec = named(
  "autoscaling.v1.ScaleSpec",
  object("What is asked for.", { replicas: int32("How many replicas there should be.") }),
);

const scaleStatus = named(
  "autoscaling.v1.ScaleStatus",
  object(
    "What there is.",
    {
      replicas: int32("How many replicas there are."),
      selector: text("A label selector, as text, of what is counted."),
    },
    ["replicas"],
  ),
);

export const scale = named(
  "autoscaling.v1.Scale",
  object(
    "The size of something that can be scaled.",
    {
      apiVersion: apiVersionField,
      kind: kindField,
      metadata: of(objectMeta, "Metadata of the object that is scaled."),
      spec: of(scaleSpec, "What is asked for."),
      status: of(scaleStatus, "What there is. Set by the server."),
    },
    [],
    groupVersionKind("Scale", "autoscaling"),
  ),
);

/** A property of a named type, with words of its own. */
export function of(type: StructuralSchema, description: string): StructuralSchema {
  return { description, allOf: [type] };
}

function named(name: `${"meta" | "autoscaling"}.v1.${string}`, schema: ExtendedSchema): StructuralSchema {
  const prefix = name.startsWith("meta.") ? "io.k8s.apimachinery.pkg.apis." : "io.k8s.api.";
  namesOfTypes.set(schema, prefix + name);
  typesByName.set(prefix + name, schema);
  return schema;
}

function object(
  description: string,
  properties: Readonly<Record<string, ExtendedSchema>>,
  required: readonly string[] = [],
  extensions: ExtendedSchema = {},
): ExtendedSchema {
  return { description, type: "object", ...(required.length > 0 && { required }), properties, ...extensions };
}

function groupVersionKind(kind: string, group = ""): ExtendedSchema {
  return { "x-kubernetes-group-version-kind": [{ group, kind, version: "v1" }] };
}

function text(description: string): StructuralSchema {
  return { description, type: "string" };
}

function flag(description: string): StructuralSchema {
  return { description, type: "boolean" };
}

function int32(description: string): StructuralSchema {
  return { description, type: "integer", format: "int32" };
}

function int64(description: string): StructuralSchema {
  return { description, type: "integer", format: "int64" };
}

function listOf(items: StructuralSchema, description: string): StructuralSchema {
  return { description, type: "array", items };
}

function mapOf(additionalProperties: StructuralSchema, description: string): StructuralSchema {
  return { description, type: "object", additionalProperties };
}
