import { ApiError, failures, type KubeObject, type OwnerReference } from "../../../model/core.js";
import { quote } from "../../../model/object/quote.js";
import { jsonEqual } from "../../../model/patch/json-equal.js";
import { objectMetaFault, readObjectMeta } from "../../../model/structural/object-meta.js";
import { checkEnvelope, type Address, type EnvelopeType } from "../../decode/envelope.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import type { Body, WriteOptions } from "../requests.js";
import { copyOf } from "./copy.js";

/** What has to be known of a kind to read an object of it. */
export type ReadableType = EnvelopeType & Pick<ResourceType, "rules">;

/** The object that was sent, to be changed freely: it is one of this kind, for this address. */
export function objectIn(
  type: EnvelopeType,
  { object, fresh }: Pick<Body, "object" | "fresh">,
  address: Address,
): Draft {
  return checkEnvelope(type, fresh ? object : copyOf(object), address);
}

/** Puts what is wrong with an object into an error. */
export type Refuse = (problem: string) => ApiError;

/** What may be known of an object before it is looked at. */
export interface Background {
  /** How to refuse it; as what was sent, if nothing else is said. */
  readonly refuse?: Refuse | undefined;
  /** An object that is in order. What of it is found again, the very same, is not looked at once more. */
  readonly known?: KubeObject | undefined;
}

/**
 * Makes of what was sent an object that the rest can rely on: fields have the types of their kind as far as the server
 * itself looks at them, what the kind does not know is gone, and defaults are there. What is unknown or stands there
 * twice is told as loudly as the request wants it.
 */
export function tidy(
  type: ReadableType,
  draft: Draft,
  body: Pick<Body, "duplicates">,
  options: WriteOptions,
  background: Background = {},
): void {
  tidyFields(type, draft, body, options, background);
  type.rules.applyDefaults(draft);
  dropRepeatedOwners(draft, options);
}

/** The same without the defaults. */
export function tidyFields(
  type: ReadableType,
  draft: Draft,
  { duplicates = [] }: Pick<Body, "duplicates">,
  { fieldValidation = "Warn", warn }: WriteOptions,
  { refuse = (problem) => failures.badRequest(prefixOf(type) + problem), known }: Background = {},
): void {
  const unknown = pruned(type, draft, refuse, known);
  const problems = duplicates.length === 0 ? unknown : [...unknown, ...duplicates];
  if (problems.length === 0) return;
  if (fieldValidation === "Strict") throw refuse(`strict decoding error: ${problems.join(", ")}`);
  if (fieldValidation === "Warn") for (const problem of problems) warn?.(problem);
}

/** Removes what the kind does not know; the rules of built-in kinds check the types of all fields before that. */
function pruned(
  type: ReadableType,
  draft: Draft,
  refuse: Refuse,
  known: KubeObject | undefined,
): readonly string[] {
  if (type.capabilities.decoding === "typed")
    return unknownFields(typed(type, () => type.rules.prune(draft), refuse));
  const fault = objectMetaFault(draft.metadata, known?.metadata);
  if (fault !== undefined) throw refuse(fault);
  const unknown = unknownFields(type.rules.prune(draft));
  draft.metadata = readObjectMeta(draft.metadata) as Draft["metadata"];
  return unknown;
}

function unknownFields(paths: readonly string[]): string[] {
  return paths.map((path) => `unknown field ${quote(path)}`);
}

/** Built-in rules refuse in the words of a create, whatever they are asked for. */
function typed<Result>(type: ReadableType, check: () => Result, refuse: Refuse): Result {
  try {
    return check();
  } catch (error) {
    const prefix = prefixOf(type);
    if (!(error instanceof ApiError) || !error.message.startsWith(prefix)) throw error;
    throw refuse(error.message.slice(prefix.length));
  }
}

function prefixOf({ kind, version }: ReadableType): string {
  return `${kind} in version ${quote(version)} cannot be handled as a ${kind}: `;
}

/** An owner that is named twice in the same words is named once. */
function dropRepeatedOwners({ metadata }: Draft, { warn }: WriteOptions): void {
  const owners = metadata["ownerReferences"] as OwnerReference[] | undefined;
  if (owners === undefined || owners.length < 2) return;
  const distinct: OwnerReference[] = [];
  const repeated: string[] = [];
  // By their uid, because there may be thousands of them.
  const seen = new Map<string, OwnerReference[]>();
  for (const owner of owners) {
    const same = seen.get(owner.uid);
    if (same?.some((other) => jsonEqual({ ...other }, { ...owner }))) {
      repeated.push(owner.uid);
      continue;
    }
    if (same === undefined) seen.set(owner.uid, [owner]);
    else same.push(owner);
    distinct.push(owner);
  }
  if (repeated.length === 0) return;
  metadata["ownerReferences"] = distinct;
  warn?.(
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject " +
      `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(", ")}`,
  );
}
