/** Path or query parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
}

export const namespaceParameter = path("namespace", "The namespace of the objects.");
export const nameParameter = path("name", "The name of the object.");
export const prettyParameter = query("pretty", "string", "Indent the response for people.");

const dryRun = query("dryRun", "string", "All: validate and process the request without storing the result.");
const fieldManager = query(
  "fieldManager",
  "string",
  "Name of the field manager: at most 128 printable characters. Required for apply patches; otherwise the default is taken from the User-Agent.",
);
const fieldValidation = query(
  "fieldValidation",
  "string",
  "Handling of unknown and duplicate fields: Ignore drops them, Warn (the default) drops them with a warning, Strict rejects the request.",
);
const force = query(
  "force",
  "boolean",
  "For apply patches only: take over fields of other managers instead of reporting a conflict.",
);
const resourceVersion = query(
  "resourceVersion",
  "string",
  "Version to read, interpreted by resourceVersionMatch. Default: the latest.",
);
const watch = query("watch", "boolean", "Send changes as events instead of a list.");
const allowWatchBookmarks = query(
  "allowWatchBookmarks",
  "boolean",
  "Send BOOKMARK events with the current resourceVersion.",
);

export const getParameters: readonly Parameter[] = [resourceVersion];
export const writeParameters: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];
export const patchParameters: readonly Parameter[] = [...writeParameters, force];

const selectionParameters: readonly Parameter[] = [
  query("continue", "string", "Token from metadata.continue of the previous page."),
  query("fieldSelector", "string", "Only objects whose fields match: metadata.name=foo."),
  query("labelSelector", "string", "Only objects whose labels match: app=foo,tier in (a, b)."),
  query("limit", "integer", "Maximum number of objects per page; continue gets the next page."),
  resourceVersion,
  query("resourceVersionMatch", "string", "Interpretation of resourceVersion: Exact or NotOlderThan."),
  query(
    "sendInitialEvents",
    "boolean",
    "Start a watch with ADDED events for all objects, then a BOOKMARK. Requires resourceVersionMatch=NotOlderThan.",
  ),
  query("timeoutSeconds", "integer", "Timeout of the request in seconds."),
];

export const listParameters: readonly Parameter[] = [allowWatchBookmarks, ...selectionParameters, watch];

export const deleteParameters: readonly Parameter[] = [
  dryRun,
  query("gracePeriodSeconds", "integer", "Grace period in seconds; 0 deletes at once."),
  query(
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "boolean",
    "Delete the object even if it cannot be read.",
  ),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
  query(
    "propagationPolicy",
    "string",
    "Deletion of dependents: Background (afterwards), Foreground (before the object), Orphan (not deleted).",
  ),
];

export const deleteCollectionParameters: readonly Parameter[] = [...deleteParameters, ...selectionParameters];

function query(name: string, type: Parameter["type"], description: string): Parameter {
  return { name, in: "query", type, description };
}

function path(name: string, description: string): Parameter {
  return { name, in: "path", type: "string", description };
}
