import { failures, fieldErrors, validateFieldManager, type Json, type JsonObject } from "../../model/core.js";
import { isJsonObject } from "../../model/object/json.js";
import type { FieldValidation, PatchType } from "../decode/decoded-body.js";
import type { ServerDeleteOptions, ServerListOptions, ServerWriteOptions } from "../registry/requests.js";
import type { ApiRequest, RequestDeleteOptions, RequestWriteOptions } from "./api-request.js";

const metaGroup = "meta.k8s.io";

const optionKinds = { create: "CreateOptions", update: "UpdateOptions", patch: "PatchOptions" } as const;
const fieldValidations = ["", "Ignore", "Strict", "Warn"];

/**
 * Validates the options of a create, update or patch.
 *
 * @throws {ApiError} 422
 */
export function validateWriteOptions(request: ApiRequest<"create" | "update" | "patch">): ServerWriteOptions {
  const { verb, options, program } = request;
  const { dryRun, fieldManager = "", fieldValidation = "" } = options;
  const errors = validateFieldManager(fieldManager, "fieldManager");
  const isDryRun = checkDryRun(dryRun, errors);
  if (!fieldValidations.includes(fieldValidation)) {
    errors.push(fieldErrors.notSupported("fieldValidation", fieldValidation, fieldValidations));
  }
  refuse(optionKinds[verb], errors);
  return {
    dryRun: isDryRun,
    fieldManager: fieldManager || program,
    fieldValidation: (fieldValidation || undefined) as FieldValidation | undefined,
    force: options.force,
  };
}

/**
 * Checks the options that only apply has, or needs.
 *
 * @throws {ApiError} 422
 */
export function validatePatchOptions(type: PatchType, { fieldManager, force }: RequestWriteOptions): void {
  const errors: fieldErrors.FieldError[] = [];
  if (type === "apply") {
    if (!fieldManager) errors.push(fieldErrors.required("fieldManager", "is required for apply patch"));
  } else if (force !== undefined) {
    errors.push(fieldErrors.forbidden("force", "may not be specified for non-apply patch"));
  }
  refuse("PatchOptions", errors);
}

/**
 * Validates the numbers of a list or watch. Numbers in a query are validated when it is parsed, those of callers in this process only
 * here.
 *
 * @throws {ApiError} 400
 */
export function validateListOptions<
  Options extends ServerListOptions & { timeoutSeconds?: number | undefined },
>(options: Options): Options {
  checkInteger(options.limit);
  checkInteger(options.timeoutSeconds);
  return options;
}

function checkInteger(value: number | undefined): void {
  if (value === undefined || Number.isInteger(value)) return;
  throw failures.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(String(value))}: invalid syntax`);
}

const policies = ["Foreground", "Background", "Orphan"];

/**
 * Validates the options of a delete.
 *
 * @throws {ApiError} 422
 */
export function validateDeleteOptions({ dryRun, ...options }: RequestDeleteOptions): ServerDeleteOptions {
  const errors: fieldErrors.FieldError[] = [];
  const { propagationPolicy: policy, orphanDependents, gracePeriodSeconds } = options;
  if (orphanDependents !== undefined && policy !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(fieldErrors.invalid("propagationPolicy", policy, detail));
  }
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(fieldErrors.notSupported("propagationPolicy", policy, [...policies, "nil"]));
  }
  if (gracePeriodSeconds !== undefined && !isInteger(gracePeriodSeconds)) {
    errors.push(fieldErrors.invalid("gracePeriodSeconds", gracePeriodSeconds, "must be a whole number"));
  }
  const isDryRun = checkDryRun(dryRun, errors);
  refuse("DeleteOptions", errors);
  return { ...options, dryRun: isDryRun };
}

/**
 * Reads DeleteOptions from the body of a delete.
 *
 * @throws {ApiError} 400
 */
export function readDeleteOptions(body: Json): RequestDeleteOptions {
  if (!isJsonObject(body)) throw failures.badRequest("the body of a delete must be DeleteOptions");
  const { kind } = body;
  if (kind !== undefined && kind !== "" && kind !== "DeleteOptions") {
    throw failures.badRequest(
      `the body of a delete must be DeleteOptions, and not ${JSON.stringify(kind).slice(0, 100)}`,
    );
  }
  const preconditions = field(body, "preconditions", isJsonObject, "an object");
  return {
    gracePeriodSeconds: field(body, "gracePeriodSeconds", isInteger, "a whole number"),
    propagationPolicy: field(body, "propagationPolicy", isString, "a string"),
    orphanDependents: field(body, "orphanDependents", isBoolean, "true or false"),
    preconditions: preconditions && {
      uid: field(preconditions, "uid", isString, "a string", "preconditions."),
      resourceVersion: field(preconditions, "resourceVersion", isString, "a string", "preconditions."),
    },
    dryRun: field(body, "dryRun", isStrings, "a list of strings"),
  };
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

const isString = (value: Json): value is string => typeof value === "string";
const isBoolean = (value: Json): value is boolean => typeof value === "boolean";
const isInteger = (value: Json): value is number => Number.isSafeInteger(value);
const isStrings = (value: Json): value is string[] => Array.isArray(value) && value.every(isString);

/** True for a dry run; `All` is the only value that Kubernetes has for one. */
function checkDryRun(values: readonly string[] | undefined, errors: fieldErrors.FieldError[]): boolean {
  if (values === undefined || values.length === 0) return false;
  if (values.some((value) => value !== "All")) {
    errors.push(fieldErrors.notSupported("dryRun", values, ["All"]));
  }
  return true;
}

function refuse(kind: string, errors: readonly fieldErrors.FieldError[]): void {
  if (errors.length > 0) throw failures.invalid({ group: metaGroup, kind }, "", errors);
}
