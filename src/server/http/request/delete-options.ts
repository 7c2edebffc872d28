import { failures, fieldErrors, type Json, type JsonObject } from "../../../model/core.js";
import { isJsonObject } from "../../../model/object/json.js";
import type { DeleteOptions } from "../../registry/requests.js";
import { checkDryRun } from "./options.js";
import { booleanOf, integerOf, textOf, type Query } from "./query.js";

/** What a delete without a body asks for. */
export function deleteOptionsOfQuery(query: Query): DeleteOptions {
  const uid = textOf(query, "uid") || undefined;
  const resourceVersion = textOf(query, "resourceVersion") || undefined;
  return checkDelete({
    gracePeriodSeconds: integerOf(query, "gracePeriodSeconds"),
    propagationPolicy: textOf(query, "propagationPolicy"),
    orphanDependents: booleanOf(query, "orphanDependents"),
    preconditions: uid || resourceVersion ? { uid, resourceVersion } : undefined,
    dryRun: query.get("dryRun"),
  });
}

/** What a delete's body asks for; it counts instead of the query. */
export function deleteOptionsOfBody(body: Json): DeleteOptions {
  if (!isJsonObject(body)) throw failures.badRequest("the body of a delete must be DeleteOptions");
  const { kind } = body;
  if (kind !== undefined && kind !== "" && kind !== "DeleteOptions") {
    throw failures.badRequest(
      `the body of a delete must be DeleteOptions, and not ${JSON.stringify(kind).slice(0, 100)}`,
    );
  }
  const preconditions = field(body, "preconditions", isJsonObject, "an object");
  return checkDelete({
    gracePeriodSeconds: field(body, "gracePeriodSeconds", isInteger, "a whole number"),
    propagationPolicy: field(body, "propagationPolicy", isText, "a text"),
    orphanDependents: field(body, "orphanDependents", isBoolean, "true or false"),
    preconditions: preconditions && {
      uid: field(preconditions, "uid", isText, "a text", "preconditions."),
      resourceVersion: field(preconditions, "resourceVersion", isText, "a text", "preconditions."),
    },
    dryRun: field(body, "dryRun", isTexts, "a list of texts"),
  });
}

function field<Value extends Json>(
  object: JsonObject,
  name: string,
  is: (value: Json) => value is Value,
  expected: string,
  path = "",
): Value | undefined {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (is(value)) return value;
  throw failures.badRequest(`DeleteOptions: ${path}${name} must be ${expected}`);
}

const isText = (value: Json): value is string => typeof value === "string";
const isBoolean = (value: Json): value is boolean => typeof value === "boolean";
const isInteger = (value: Json): value is number => Number.isSafeInteger(value);
const isTexts = (value: Json): value is readonly string[] => Array.isArray(value) && value.every(isText);

const policies = ["Foreground", "Background", "Orphan"];

function checkDelete({
  dryRun,
  ...options
}: Omit<DeleteOptions, "dryRun"> & { dryRun?: readonly string[] | undefined }): DeleteOptions {
  const errors: fieldErrors.FieldError[] = [];
  const { propagationPolicy: policy, orphanDependents } = options;
  if (orphanDependents !== undefined && policy !== undefined) {
    errors.push(
      fieldErrors.invalid(
        "propagationPolicy",
        policy,
        "orphanDependents and deletionPropagation cannot be both set",
      ),
    );
  }
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(fieldErrors.notSupported("propagationPolicy", policy, [...policies, "nil"]));
  }
  const dry = checkDryRun(dryRun, errors);
  if (errors.length > 0) throw failures.invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  return { ...options, dryRun: dry };
}
