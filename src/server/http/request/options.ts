import {
  failures,
  fieldErrors,
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
  validateFieldManager,
} from "../../../model/core.js";
import { fieldSelector } from "../../../model/selector/field-selector.js";
import type {
  FieldValidation,
  ListOptions,
  Patch,
  WatchOptions,
  WriteOptions,
} from "../../registry/requests.js";
import { booleanOf, integerOf, textOf, type Query } from "./query.js";

const metaGroup = "meta.k8s.io";

/** What a list asks for. Which combinations make sense is the registry's to say. */
export function listOptions(query: Query): ListOptions {
  return {
    ...selectors(query),
    limit: integerOf(query, "limit") || undefined,
    continue: textOf(query, "continue") || undefined,
    sendInitialEvents: booleanOf(query, "sendInitialEvents"),
  };
}

/** What a watch asks for; `name` narrows it to one object. */
export function watchOptions(query: Query, name: string | undefined): WatchOptions & ListOptions {
  const list = listOptions(query);
  return {
    ...list,
    ...(name !== undefined && { fieldSelector: onlyName(list, name) }),
    allowWatchBookmarks: booleanOf(query, "allowWatchBookmarks"),
    timeoutSeconds: integerOf(query, "timeoutSeconds"),
  };
}

function selectors(query: Query): ListOptions {
  const labels = textOf(query, "labelSelector");
  const fields = textOf(query, "fieldSelector");
  try {
    return {
      labelSelector: labels ? parseLabelSelector(labels) : undefined,
      fieldSelector: fields ? parseFieldSelector(fields) : undefined,
      resourceVersion: textOf(query, "resourceVersion") || undefined,
      resourceVersionMatch: textOf(query, "resourceVersionMatch") || undefined,
    };
  } catch (error) {
    if (error instanceof SelectorError) throw failures.badRequest(error.message);
    throw error;
  }
}

function onlyName(list: ListOptions, name: string): NonNullable<ListOptions["fieldSelector"]> {
  const asked = list.fieldSelector;
  if (asked === undefined || asked.empty) {
    return fieldSelector([{ field: "metadata.name", operator: "=", value: name }]);
  }
  if (asked.exactValue("metadata.name") === name) return asked;
  throw failures.badRequest("fieldSelector metadata.name doesn't match requested name");
}

const fieldValidations = ["", "Ignore", "Strict", "Warn"];

/** What a create, update or patch asks for. `fallbackManager` is who writes when the request does not say. */
export function writeOptions(
  query: Query,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  fallbackManager: string,
): WriteOptions {
  const manager = textOf(query, "fieldManager") ?? "";
  const fieldValidation = textOf(query, "fieldValidation") ?? "";
  const errors = validateFieldManager(manager, "fieldManager");
  const dryRun = checkDryRun(query.get("dryRun"), errors);
  if (!fieldValidations.includes(fieldValidation)) {
    errors.push(fieldErrors.notSupported("fieldValidation", fieldValidation, fieldValidations));
  }
  if (errors.length > 0) throw failures.invalid({ group: metaGroup, kind }, "", errors);
  return {
    dryRun,
    fieldManager: manager || fallbackManager,
    fieldValidation: (fieldValidation || undefined) as FieldValidation | undefined,
  };
}

/** Only an apply may take fields from others by force, and it must say who it is. */
export function forceOf(query: Query, type: Patch["type"]): boolean | undefined {
  const force = booleanOf(query, "force");
  const errors: fieldErrors.FieldError[] = [];
  if (type === "apply") {
    if (!textOf(query, "fieldManager")) {
      errors.push(fieldErrors.required("fieldManager", "is required for apply patch"));
    }
  } else if (force !== undefined) {
    errors.push(fieldErrors.forbidden("force", "may not be specified for non-apply patch"));
  }
  if (errors.length > 0) throw failures.invalid({ group: metaGroup, kind: "PatchOptions" }, "", errors);
  return force;
}

/** Whether nothing is to be written. `All` is the only way to say so. */
export function checkDryRun(
  values: readonly string[] | undefined,
  errors: fieldErrors.FieldError[],
): boolean {
  if (values === undefined || values.length === 0) return false;
  if (values.some((value) => value !== "All")) {
    errors.push(fieldErrors.notSupported("dryRun", values, ["All"]));
  }
  return true;
}
