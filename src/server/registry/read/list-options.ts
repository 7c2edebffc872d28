import { failures, fieldErrors } from "../../../model/core.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { ServerListOptions, ServerWatchOptions } from "../requests.js";
import { parseContinue } from "./continue-token.js";

/** Revision and position that a list reads from. */
export interface ListPlan {
  /** Exact revision. Default: the newest. */
  readonly revision?: number | undefined;
  /** Minimum for the newest revision. */
  readonly atLeast?: number | undefined;
  /** List keys after this one (relative to the kind's prefix). */
  readonly after?: string | undefined;
  /** Objects that the previous page left. */
  readonly remaining?: number | undefined;
}

/**
 * Plans a list from its options.
 *
 * | resourceVersion | match        | without a limit | with a limit  |
 * |-----------------|--------------|-----------------|---------------|
 * | none, or 0      | any          | the newest      | the newest    |
 * | N               | none         | at least N      | exactly N     |
 * | N               | NotOlderThan | at least N      | at least N    |
 * | N               | Exact        | exactly N       | exactly N     |
 *
 * A continue token continues at the revision of the previous page.
 *
 * @throws {ApiError} 400 or 422 for invalid options.
 */
export function planList(options: ServerListOptions): ListPlan {
  const { resourceVersion = "", resourceVersionMatch: match = "", limit = 0 } = options;
  if (options.sendInitialEvents !== undefined) {
    refuse([fieldErrors.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")]);
  }
  checkMatch(resourceVersion, match, options.continue ?? "");
  if (options.continue) {
    const continuation = parseContinue(options.continue);
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw failures.badRequest("specifying resource version is not allowed when using continue");
    }
    return continuation;
  }
  const revision = parseResourceVersion(resourceVersion);
  if (revision === 0) return {};
  // A limit without resourceVersionMatch means Exact, so that all pages have one revision.
  const exact = match === "Exact" || (match === "" && limit > 0);
  return exact ? { revision } : { atLeast: revision };
}

function checkMatch(resourceVersion: string, match: string, token: string): void {
  if (match === "") return;
  const field = "resourceVersionMatch";
  const errors: fieldErrors.FieldError[] = [];
  const forbid = (detail: string): number => errors.push(fieldErrors.forbidden(field, detail));
  if (resourceVersion === "") forbid(`${field} is forbidden unless resourceVersion is provided`);
  if (token !== "") forbid(`${field} is forbidden when continue is provided`);
  if (match !== "Exact" && match !== "NotOlderThan") {
    errors.push(fieldErrors.notSupported(field, match, ["Exact", "NotOlderThan", ""]));
  }
  if (match === "Exact" && resourceVersion === "0") {
    forbid(`${field} "exact" is forbidden for resourceVersion "0"`);
  }
  refuse(errors);
}

/** Start of a watch. */
export interface WatchPlan {
  /** Send the current state first, as ADDED events. */
  readonly sendInitial: boolean;
  /** Send a bookmark after the current state. */
  readonly bookmarkInitialEnd: boolean;
  /** Send changes after this revision; with `sendInitial`, the minimum revision of the current state. */
  readonly from?: number | undefined;
}

export function planWatch(type: ResourceType, options: ServerWatchOptions): WatchPlan {
  const { resourceVersion = "", sendInitialEvents, allowWatchBookmarks = false } = options;
  checkWatchMatch(options);
  const revision = parseWatchVersion(type, resourceVersion);
  return {
    sendInitial: sendInitialEvents ?? revision === 0,
    bookmarkInitialEnd: sendInitialEvents === true && allowWatchBookmarks,
    ...(revision !== 0 && { from: revision }),
  };
}

function checkWatchMatch({ resourceVersionMatch: match = "", sendInitialEvents }: ServerWatchOptions): void {
  const field = "resourceVersionMatch";
  const required = "NotOlderThan";
  const errors: fieldErrors.FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== required) {
    errors.push(fieldErrors.forbidden(field, `sendInitialEvents requires setting ${field} to ${required}`));
  }
  if (sendInitialEvents === undefined && match !== "") {
    const detail = `${field} is forbidden for watch unless sendInitialEvents is provided`;
    errors.push(fieldErrors.forbidden(field, detail));
  }
  if (match !== "" && match !== required) errors.push(fieldErrors.notSupported(field, match, [required]));
  refuse(errors);
}

function refuse(errors: readonly fieldErrors.FieldError[]): void {
  if (errors.length > 0) throw failures.invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
}

/** Revision of a resourceVersion; 0 for an empty string. */
export function parseResourceVersion(text: string): number {
  const parsed = readVersion(text);
  if (typeof parsed === "number") return parsed;
  throw failures.badRequest(`invalid resource version: ${fieldErrors.renderFieldErrors([parsed])}`);
}

/** {@link parseResourceVersion} with the error that Kubernetes has for watches. */
function parseWatchVersion({ group, plural }: ResourceType, text: string): number {
  const parsed = readVersion(text);
  if (typeof parsed === "number") return parsed;
  throw failures.invalid({ group, kind: plural }, "", [parsed]);
}

const digits = /^[0-9]{1,20}$/;

function readVersion(text: string): number | fieldErrors.FieldError {
  if (text === "") return 0;
  const fits = digits.test(text) && BigInt(text) < 2n ** 64n;
  if (fits) return Number(text);
  const problem = /^[0-9]+$/.test(text) ? "value out of range" : "invalid syntax";
  return fieldErrors.invalid(
    "resourceVersion",
    text,
    `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${problem}`,
  );
}
