import { ApiError, failures, type KubeObject, type OwnerReference } from "../../../model/core.js";
import { quote } from "../../../model/object/quote.js";
import { objectMetaFault, readObjectMeta } from "../../../model/structural/object-meta.js";
import { checkEnvelope, type Address, type EnvelopeType } from "../../decode/envelope.js";
import type { Body } from "../../decode/decoded-body.js";
import type { Capabilities, Draft, ResourceType } from "../../resources/resource-type.js";
import type { ResourceRequest, ServerWriteOptions } from "../requests.js";
import { copyJson } from "./copy-json.js";

/** Parts of a kind that are needed to decode and prune an object. */
export interface DecodableType extends EnvelopeType {
  readonly rules: ResourceType["rules"];
  readonly capabilities: Pick<Capabilities, "decoding">;
}

/** Parts of a request that say how strictly fields are checked. */
type FieldChecks = Pick<ResourceRequest<ServerWriteOptions>, "options" | "warn">;

/** Object of a request body, which may be changed. Checks that it is of this kind and for this address. */
export function decodeObject(
  type: EnvelopeType,
  { object, fresh }: Pick<Body, "object" | "fresh">,
  address: Address,
): Draft {
  return checkEnvelope(type, fresh ? object : copyJson(object), address);
}

/**
 * Lets other requests be handled between two steps with a large object; throws when the client has disconnected. Undefined for small
 * objects, whose steps are not worth a pause.
 */
export type NextStep = (() => Promise<void> | undefined) | undefined;

/** Runs work that yields between its steps. */
export async function runSteps<Result>(steps: Generator<void, Result>, nextStep: NextStep): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const pause = nextStep?.();
    if (pause !== undefined) await pause;
  }
}

/** Makes the error for a problem with an object's fields. */
export type ToError = (problem: string) => ApiError;

export interface PruneOptions {
  /** Default: a 400 about the object in the body. */
  readonly toError?: ToError | undefined;
  /** Object that is pruned and defaulted already. Parts of the draft that are identical to its parts are not checked again. */
  readonly canonical?: KubeObject | undefined;
}

/**
 * Prunes unknown fields, sets defaults, and checks the types of the fields that the server itself reads. Unknown and duplicate fields
 * are reported according to the request's field validation.
 */
export async function pruneAndDefault(
  type: DecodableType,
  draft: Draft,
  body: Pick<Body, "duplicates">,
  checks: FieldChecks,
  { nextStep, ...options }: PruneOptions & { readonly nextStep?: NextStep } = {},
): Promise<void> {
  pruneFields(type, draft, body, checks, options);
  if (nextStep !== undefined) await nextStep();
  type.rules.applyDefaults(draft);
  dropDuplicateOwners(draft, checks);
}

/** Prunes without setting defaults. */
export function pruneFields(
  type: DecodableType,
  draft: Draft,
  { duplicates = [] }: Pick<Body, "duplicates">,
  { options: { fieldValidation = "Warn" }, warn }: FieldChecks,
  {
    toError = (problem) => failures.badRequest(decodingPrefix(type) + problem),
    canonical,
  }: PruneOptions = {},
): void {
  const unknown = pruneUnknown(type, draft, toError, canonical);
  const problems = duplicates.length === 0 ? unknown : [...unknown, ...duplicates];
  if (problems.length === 0) return;
  if (fieldValidation === "Strict") throw toError(`strict decoding error: ${problems.join(", ")}`);
  if (fieldValidation === "Warn") for (const problem of problems) warn?.(problem);
}

/** Removes unknown fields and describes them. The rules of typed kinds check the types of all fields first. */
function pruneUnknown(
  type: DecodableType,
  draft: Draft,
  toError: ToError,
  canonical: KubeObject | undefined,
): readonly string[] {
  if (type.capabilities.decoding === "typed") {
    return unknownFields(rewordErrors(type, () => type.rules.prune(draft), toError));
  }
  const fault = objectMetaFault(draft.metadata, canonical?.metadata);
  if (fault !== undefined) throw toError(fault);
  const unknown = unknownFields(type.rules.prune(draft));
  draft.metadata = readObjectMeta(draft.metadata) as Draft["metadata"];
  return unknown;
}

function unknownFields(paths: readonly string[]): string[] {
  return paths.map((path) => `unknown field ${quote(path)}`);
}

/** Typed rules word their errors as for a create; `toError` words them for the request at hand. */
function rewordErrors<Result>(type: DecodableType, check: () => Result, toError: ToError): Result {
  try {
    return check();
  } catch (error) {
    const prefix = decodingPrefix(type);
    if (!(error instanceof ApiError) || !error.message.startsWith(prefix)) throw error;
    throw toError(error.message.slice(prefix.length));
  }
}

function decodingPrefix({ kind, version }: DecodableType): string {
  return `${kind} in version ${quote(version)} cannot be handled as a ${kind}: `;
}

/** Removes owner references that are identical to an earlier one. */
function dropDuplicateOwners({ metadata }: Draft, { warn }: FieldChecks): void {
  const owners = metadata["ownerReferences"] as OwnerReference[] | undefined;
  if (owners === undefined || owners.length < 2) return;
  const distinct: OwnerReference[] = [];
  const repeated: string[] = [];
  // There may be thousands of them, also with the same uid. The order of their fields does not matter.
  const seen = new Set<string>();
  for (const owner of owners) {
    const key = JSON.stringify(Object.entries(owner).sort(([left], [right]) => (left < right ? -1 : 1)));
    if (seen.has(key)) repeated.push(owner.uid);
    else distinct.push(owner);
    seen.add(key);
  }
  if (repeated.length === 0) return;
  metadata["ownerReferences"] = distinct;
  warn?.(
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject " +
      `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(", ")}`,
  );
}
