import { failures } from "../../../model/core.js";
import type { ServerListOptions, ServerWatchOptions } from "../../registry/requests.js";
import type { RequestDeleteOptions, RequestWriteOptions } from "../../request/api-request.js";
import { booleanOf, integerOf, firstValue, type Query } from "./query.js";

// Query parameters as options. The request pipeline validates them.

export function getOptions(query: Query): { readonly resourceVersion: string | undefined } {
  if (booleanOf(query, "export")) {
    throw failures.badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  return { resourceVersion: firstValue(query, "resourceVersion") || undefined };
}

export function listOptions(query: Query): ServerListOptions {
  return {
    labelSelector: firstValue(query, "labelSelector"),
    fieldSelector: firstValue(query, "fieldSelector"),
    resourceVersion: firstValue(query, "resourceVersion") || undefined,
    resourceVersionMatch: firstValue(query, "resourceVersionMatch") || undefined,
    limit: integerOf(query, "limit") || undefined,
    continue: firstValue(query, "continue") || undefined,
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
    fieldManager: firstValue(query, "fieldManager"),
    fieldValidation: firstValue(query, "fieldValidation"),
    force: booleanOf(query, "force"),
  };
}

export function deleteOptions(query: Query): RequestDeleteOptions {
  const uid = firstValue(query, "uid") || undefined;
  const resourceVersion = firstValue(query, "resourceVersion") || undefined;
  return {
    gracePeriodSeconds: integerOf(query, "gracePeriodSeconds"),
    propagationPolicy: firstValue(query, "propagationPolicy"),
    orphanDependents: booleanOf(query, "orphanDependents"),
    preconditions: uid || resourceVersion ? { uid, resourceVersion } : undefined,
    dryRun: query.get("dryRun"),
  };
}
