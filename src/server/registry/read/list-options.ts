import { failures, fieldErrors } from "../../../model/core.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { ListOptions, ServerWatchOptions } from "../requests.js";
import { parseContinue } from "./continue-token.js";

/** Which state of the store a list is to show. */
export interface ListPlan {
  /** Exactly this revision; the newest when left out. */
  readonly revision?: number | undefined;
  /** The newest, which must be at least this one. */
  readonly atLeast?: number | undefined;
  /** Only what comes behind this key (relative to the kind's prefix). */
  readonly after?: string | undefined;
  /** How many objects the page before left over. */
  readonly left?: number | undefined;
}

/**
 * | resourceVersion | match        | without a limit | with a limit  |
 * |-----------------|--------------|-----------------|---------------|
 * | none, or 0      | any          | the newest      | the newest    |
 * | N               | none         | at least N      | exactly N     |
 * | N               | NotOlderThan | at least N      | at least N    |
 * | N               | Exact        | exactly N       | exactly N     |
 *
 * A continue token goes on at the revision of the page before.
 */
export function planList(options: ListOptions): ListPlan {
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
  const asked = parseResourceVersion(resourceVersion);
  if (asked === 0) return {};
  // Without a word about the match, a limit asks for a list that can be continued at one revision.
  const exact = match === "Exact" || (match === "" && limit > 0);
  return exact ? { revision: asked } : { atLeast: asked };
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

/** How a watch begins. */
export interface WatchPlan {
  /** Whether the present state comes first, as ADDED events. */
  readonly initial: boolean;
  /** Whether a bookmark says that the present state is complete. */
  readonly announceEnd: boolean;
  /** Changes after this revision; with the initial state, one that is at least this new. */
  readonly from?: number | undefined;
}

export function planWatch(type: ResourceType, options: ServerWatchOptions): WatchPlan {
  const { resourceVersion = "", sendInitialEvents, allowWatchBookmarks = false } = options;
  checkWatchMatch(options);
  const asked = watchedVersion(type, resourceVersion);
  return {
    initial: sendInitialEvents ?? asked === 0,
    announceEnd: sendInitialEvents === true && allowWatchBookmarks,
    ...(asked !== 0 && { from: asked }),
  };
}

function checkWatchMatch({ resourceVersionMatch: match = "", sendInitialEvents }: ServerWatchOptions): void {
  const field = "resourceVersionMatch";
  const wanted = "NotOlderThan";
  const errors: fieldErrors.FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== wanted) {
    errors.push(fieldErrors.forbidden(field, `sendInitialEvents requires setting ${field} to ${wanted}`));
  }
  if (sendInitialEvents === undefined && match !== "") {
    const detail = `${field} is forbidden for watch unless sendInitialEvents is provided`;
    errors.push(fieldErrors.forbidden(field, detail));
  }
  if (match !== "" && match !== wanted) errors.push(fieldErrors.notSupported(field, match, [wanted]));
  refuse(errors);
}

function refuse(errors: readonly fieldErrors.FieldError[]): void {
  if (errors.length > 0) throw failures.invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
}

/** The revision that a client names; 0 for none. */
export function parseResourceVersion(text: string): number {
  const parsed = readVersion(text);
  if (typeof parsed === "number") return parsed;
  throw failures.badRequest(`invalid resource version: ${fieldErrors.renderFieldErrors([parsed])}`);
}

/** The same for a watch, which Kubernetes refuses in other words. */
function watchedVersion({ group, plural }: ResourceType, text: string): number {
  const parsed = readVersion(text);
  if (typeof parsed === "number") return parsed;
  throw failures.invalid({ group, kind: plural }, "", [parsed]);
}

const digits = /^[0-9]{1,20}$/;

function readVersion(text: string): number | fieldErrors.FieldError {
  if (text === "") return 0;
  const fits = digits.test(text) && BigInt(text) < 2n ** 64n;
  if (fits) return Number(text);
  const why = /^[0-9]+$/.test(text) ? "value out of range" : "invalid syntax";
  return fieldErrors.invalid(
    "resourceVersion",
    text,
    `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`,
  );
}
