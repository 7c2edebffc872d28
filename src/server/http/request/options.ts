import { failures } from "../../../model/core.js";
import type { ListOptions, ServerWatchOptions } from "../../registry/requests.js";
import type { RequestDeleteOptions, RequestWriteOptions } from "../../request/api-request.js";
import { booleanOf, integerOf, textOf, type Query } from "./query.js";

// Query parameters as options. The request pipeline validates them.

export function getOptions(query: Query): { readonly resourceVersion: string | undefined } {
  if (booleanOf(query, "export")) {
    throw failures.badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  return { resourceVersion: textOf(query, "resourceVersion") || undefined };
}

export function listOptions(query: Query): ListOptions {
  return {
    labelSelector: textOf(query, "labelSelector"),
    fieldSelector: textOf(query, "fieldSelector"),
    resourceVersion: textOf(query, "resourceVersion") || undefined,
    resourceVersionMatch: textOf(query, "resourceVersionMatch") || undefined,
    limit: integerOf(query, "limit") || undefined,
    continue: textOf(query, "continue") || undefined,
    sendInitialEvents: booleanOf(query, "sendInitialEvents"),
  };
}

/** `defaultTimeout` is in seconds. */
export function watchOptions(query: Query, defaultTimeout: number): ServerWatchOptions {
  const { limit: _, continue: __, ...options } = listOptions(query);
  const timeoutSeconds = integerOf(query, "timeoutSeconds");
  return {
    ...options,
    allowWatchBookmarks: booleanOf(query, "allowWatchBookmarks"),
    timeoutSeconds: timeoutSeconds !== undefined && timeoutSeconds > 0 ? timeoutSeconds : defaultTimeout,
  };
}

export function writeOptions(query: Query): RequestWriteOptions {
  return {
    dryRun: query.get("dryRun"),
    fieldManager: textOf(query, "fieldManager"),
    fieldValidation: textOf(query, "fieldValidation"),
    force: booleanOf(query, "force"),
  };
}

export function deleteOptions(query: Query): RequestDeleteOptions {
  const uid = textOf(query, "uid") || undefined;
  const resourceVersion = textOf(query, "resourceVersion") || undefined;
  return {
    gracePeriodSeconds: integerOf(query, "gracePeriodSeconds"),
    propagationPolicy: textOf(query, "propagationPolicy"),
    orphanDependents: booleanOf(query, "orphanDependents"),
    preconditions: uid || resourceVersion ? { uid, resourceVersion } : undefined,
    dryRun: query.get("dryRun"),
  };
}
