import {
  ApiError,
  failures,
  formatTime,
  generateName,
  isAlreadyExists,
  newUid,
  validateObjectMeta,
  type ObjectMeta,
} from "../../../model/core.js";
import { Conflict } from "../../../store/index.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import { type Answer, PlainObject, type StoredObject, storedObject } from "../../resources/stored-object.js";
import type { Context } from "../context.js";
import { keyOf, resourceOf } from "../keys.js";
import type { Body, Scope, WriteOptions } from "../requests.js";
import { asFailure, asking } from "../store-failures.js";
import { copyOf } from "./copy.js";
import { warnOfFinalizers } from "./finalizers.js";
import { objectIn, tidy } from "./incoming.js";
import { recordOwnership } from "./ownership.js";
import { put } from "./storing.js";
import { versionIn } from "./version.js";

/** How many names are tried before a generateName is given up. */
const nameAttempts = 8;

export function create(
  context: Context,
  type: ResourceType,
  scope: Scope,
  body: Body,
  options: WriteOptions,
): Promise<Answer> {
  const draft = objectIn(type, body, { namespace: scope.namespace });
  tidy(type, draft, body, options);
  if (versionIn(draft.metadata) !== undefined) {
    throw failures.badRequest("resourceVersion should not be set on objects to be created");
  }
  return createTidied(context, type, draft, options);
}

/** The rest of a create, for an object that is pruned and defaulted. */
export function createTidied(
  context: Context,
  type: ResourceType,
  draft: Draft,
  options: WriteOptions,
  recorded = false,
): Promise<Answer> {
  const refusal = type.strategy.forbidCreate?.();
  if (refusal !== undefined) throw refusal;
  const { name, generateName: base, namespace } = draft.metadata as Names;
  const write = (): Promise<Answer> =>
    base && !name
      ? placeSomewhere(context, type, draft, base, options, recorded)
      : place(context, type, draft, options, recorded);
  if (!type.namespaced) return write();
  return context.namespaces.entering(type, namespace ?? "", name || base || "Unknown", write);
}

interface Names {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
}

/** Makes names until one is free. */
async function placeSomewhere(
  context: Context,
  type: ResourceType,
  draft: Draft,
  base: string,
  options: WriteOptions,
  recorded: boolean,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    // The name may be part of what is prepared and validated, so each attempt starts from what was sent.
    const named = copyOf(draft);
    const name = generateName(base, context.random);
    named.metadata["name"] = name;
    try {
      return await place(context, type, named, options, recorded);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (attempt === nameAttempts) throw failures.generateNameConflict(resourceOf(type), name, 1);
    }
  }
}

async function place(
  context: Context,
  type: ResourceType,
  draft: Draft,
  options: WriteOptions,
  recorded: boolean,
): Promise<Answer> {
  complete(context, type, draft, options, recorded);
  const { name = "", namespace } = draft.metadata as Names;
  const key = keyOf(type, { namespace, name });
  if (options.dryRun) {
    if (await asking(context.store.get(key))) throw await taken(context, type, key, name);
    return new PlainObject(draft);
  }
  let answer: StoredObject;
  try {
    answer = await put(context, type, key, draft, 0);
  } catch (error) {
    throw error instanceof Conflict ? await taken(context, type, key, name) : asFailure(error);
  }
  if (type.strategy.afterWrite) await type.strategy.afterWrite(answer.object);
  return answer;
}

/** Sets what only the server decides, records who wrote what, and validates. */
function complete(
  context: Context,
  type: ResourceType,
  draft: Draft,
  options: WriteOptions,
  recorded: boolean,
): void {
  const { strategy } = type;
  stamp(context, type, draft);
  strategy.prepareCreate?.(draft);
  if (!recorded) recordOwnership(context, type, undefined, draft, options);
  strategy.completeCreate?.(draft);
  validate(type, draft);
  for (const text of strategy.warnings?.(draft) ?? []) options.warn?.(text);
  warnOfFinalizers(type, draft, undefined, options);
}

function stamp({ clock, random }: Context, { strategy }: ResourceType, { metadata }: Draft): void {
  drop(metadata, "deletionTimestamp");
  drop(metadata, "deletionGracePeriodSeconds");
  drop(metadata, "selfLink");
  drop(metadata, "resourceVersion");
  metadata["uid"] = newUid(random);
  metadata["creationTimestamp"] = formatTime(clock.now());
  if (strategy.generation) metadata["generation"] = 1;
  else drop(metadata, "generation");
}

/** Takes a field out; asking first costs less than deleting what is not there. */
export function drop(metadata: Draft["metadata"], field: keyof ObjectMeta | "selfLink"): void {
  if (field in metadata) delete metadata[field];
}

function validate(type: ResourceType, draft: Draft): void {
  const { group, kind, namespaced, strategy } = type;
  const errors = [
    ...validateObjectMeta(draft.metadata, {
      namespaced,
      builtIn: type.capabilities.unqualifiedFinalizers === "refuse",
      validateName: strategy.validateName,
    }),
    ...type.rules.validate(draft),
    ...(strategy.validate?.(draft) ?? []),
  ];
  if (errors.length > 0) {
    throw failures.invalid({ group, kind }, (draft.metadata as Names).name ?? "", errors);
  }
}

/** That there is such an object already, and whether it is about to go. */
async function taken(context: Context, type: ResourceType, key: string, name: string): Promise<ApiError> {
  const error = failures.alreadyExists(resourceOf(type), name);
  const entry = await asking(context.store.get(key));
  if (!entry || !storedObject(type, entry).object.metadata.deletionTimestamp) return error;
  return new ApiError({ ...error.status, message: `object is being deleted: ${error.message}` });
}
