/** Path or query parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
}

export const namespaceParameter = path("namespace", "The namespace of the objects.");
export const nameParameter = path("name", "The name of the object.");
export const prettyParameter = query(
  "pretty",
  "string",
  "Whether to break the lines of the answer for people.",
);

const dryRun = query("dryRun", "string", "All: do everything but the writing.");
const fieldManager = query(
  "fieldManager",
  "string",
  "Under which name the written fields are managed: at most 128 printable characters. Needed for apply patches; otherwise taken from the User-Agent.",
);
const fieldValidation = query(
  "fieldValidation",
  "string",
  "What to do about fields that are unknown or stand there twice: Ignore drops them, Warn (the default) drops them with a warning, Strict refuses the request.",
);
const force = query(
  "force",
  "boolean",
  "For apply patches only: take over fields that others manage, where it would be a conflict.",
);
const resourceVersion = query(
  "resourceVersion",
  "string",
  "The state to read: that of this version or a later one, as resourceVersionMatch says. Unset: the latest.",
);
const watch = query("watch", "boolean", "Send changes as they happen, and not a list.");
const allowWatchBookmarks = query(
  "allowWatchBookmarks",
  "boolean",
  "Send BOOKMARK events now and then, that tell how far a watch has come.",
);

export const getParameters: readonly Parameter[] = [resourceVersion];
export const writeParameters: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];
export const patchParameters: readonly Parameter[] = [...writeParameters, force];

const selectionParameters: readonly Parameter[] = [
  query("continue", "string", "Where the last part of the list ended: what it said in metadata.continue."),
  query("fieldSelector", "string", "Only objects whose fields match: metadata.name=foo."),
  query("labelSelector", "string", "Only objects whose labels match: app=foo,tier in (a, b)."),
  query("limit", "integer", "How many objects to send at most. The rest can be had with continue."),
  resourceVersion,
  query("resourceVersionMatch", "string", "How resourceVersion is meant: Exact, or NotOlderThan."),
  query(
    "sendInitialEvents",
    "boolean",
    "Begin a watch with ADDED events for all there is, and a BOOKMARK at their end. Needs resourceVersionMatch=NotOlderThan.",
  ),
  query(
    "timeoutSeconds",
    "integer",
    "After how many seconds the server ends the request, whatever comes of it.",
  ),
];

export const listParameters: readonly Parameter[] = [allowWatchBookmarks, ...selectionParameters, watch];

export const deleteParameters: readonly Parameter[] = [
  dryRun,
  query("gracePeriodSeconds", "integer", "How long the object may take to end; 0 for at once."),
  query("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean", "Delete even what cannot be read."),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
  query(
    "propagationPolicy",
    "string",
    "What happens to what the object owns: Background (goes afterwards), Foreground (goes before), Orphan (stays).",
  ),
];

export const deleteCollectionParameters: readonly Parameter[] = [...deleteParameters, ...selectionParameters];

function query(name: string, type: Parameter["type"], description: string): Parameter {
  return { name, in: "query", type, description };
}

function path(name: string, description: string): Parameter {
  return { name, in: "path", type: "string", description };
}
