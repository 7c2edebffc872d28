import { ApiError, failures, generateName, isAlreadyExists } from "../../../model/core.js";
import { Conflict } from "../../../store/index.js";
import { expensiveBytes, pause } from "../../event-loop/turns.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import { PlainObject, type ObjectResponse } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { storeKey, resourceOf } from "../keys.js";
import type { ResourceRequest, ServerWriteOptions, WriteRequest } from "../requests.js";
import { fromStore, storeFailure } from "../store-failures.js";
import { mutate, validate } from "./admit-object.js";
import { claimsIn, isClaimConflict } from "./claims.js";
import { checkSizeEarly, commitObject, encodeWithinLimit, nothing } from "./commit-object.js";
import { copyJson } from "./copy-json.js";
import { decodeObject, pruneAndDefault, type NextStep } from "./prune-and-default.js";
import { recordOwnership } from "./record-ownership.js";
import { requestedVersion, stampCreation } from "./stamp-metadata.js";
import { validateCreate } from "./validate-object.js";
import type { WriteTurn } from "./write-queue.js";

/** Names that are tried for a generateName before the request fails. */
const nameAttempts = 8;

/** Records field ownership in an object that is about to be written. */
export type RecordOwnership = typeof recordOwnership;

export async function create(context: RegistryContext, request: WriteRequest): Promise<ObjectResponse> {
  const { type, namespace, body } = request;
  const draft = decodeObject(type, body, { namespace });
  const { name: user } = request.user;
  const nextStep = (body.bytes ?? 0) < expensiveBytes ? undefined : () => pause(user);
  if (nextStep !== undefined) await nextStep();
  await pruneAndDefault(type, draft, body, request, { nextStep });
  if (requestedVersion(draft.metadata) !== undefined) {
    throw failures.badRequest("resourceVersion should not be set on objects to be created");
  }
  const created = await createObject(context, request, draft, { bytes: body.bytes });
  if (!request.options.dryRun) await type.strategy.afterWrite?.(created.object);
  return created;
}

/** Options of {@link createObject}. */
interface CreateOptions {
  /** Apply passes its own, since it has computed the ownership already. */
  readonly record?: RecordOwnership | undefined;
  /** Size of the request, as far as it is known. */
  readonly bytes?: number | undefined;
  /** Turn of an update that creates the object. */
  readonly turn?: WriteTurn | undefined;
}

/** Creates an object that has been decoded, pruned and defaulted. The effects that follow (`afterWrite`) are left to the caller. */
export async function createObject(
  context: RegistryContext,
  request: ResourceRequest<ServerWriteOptions>,
  proposed: Draft,
  options: CreateOptions = {},
): Promise<ObjectResponse> {
  const { type, admission, user } = request;
  const nextStep = (options.bytes ?? 0) < expensiveBytes ? undefined : () => pause(user.name);
  const refusal = type.strategy.forbidCreate?.();
  if (refusal !== undefined) throw refusal;
  const draft =
    admission.length === 0
      ? proposed
      : await mutate("create", request, proposed, { nextStep, turn: options.turn });
  const { name, generateName: base, namespace } = draft.metadata as Names;
  const write = (): Promise<ObjectResponse> =>
    base && !name
      ? createWithGeneratedName(context, request, draft, base, options)
      : attemptCreate(context, request, draft, options);
  if (!type.namespaced) return write();
  return context.namespaces.create(type, namespace ?? "", name || base || "Unknown", write);
}

interface Names {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
}

async function createWithGeneratedName(
  context: RegistryContext,
  request: ResourceRequest<ServerWriteOptions>,
  draft: Draft,
  base: string,
  options: CreateOptions,
): Promise<ObjectResponse> {
  for (let attempt = 1; ; attempt++) {
    // Preparation and validation may depend on the name, so each attempt starts from the draft as it was.
    const named = copyJson(draft);
    const name = generateName(base, context.random);
    named.metadata["name"] = name;
    try {
      return await attemptCreate(context, request, named, options);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (attempt === nameAttempts) throw failures.generateNameConflict(resourceOf(request.type), name, 1);
    }
  }
}

/** The steps from a decoded object to a stored one. */
async function attemptCreate(
  context: RegistryContext,
  request: ResourceRequest<ServerWriteOptions>,
  draft: Draft,
  { record = recordOwnership, bytes = 0, turn }: CreateOptions,
): Promise<ObjectResponse> {
  const { type, user } = request;
  const nextStep = bytes < expensiveBytes ? undefined : () => pause(user.name);
  if (nextStep !== undefined) await nextStep();
  stampCreation(context, type, draft);
  type.strategy.prepareCreate?.(draft);
  checkSizeEarly(context, type, draft, nothing, bytes);
  if (nextStep !== undefined) await nextStep();
  record(context, request, draft, undefined);
  if (nextStep !== undefined) await nextStep();
  type.strategy.completeCreate?.(draft);
  const { allocate } = type.strategy;
  if (allocate === undefined) return storeNew(context, request, draft, { nextStep, turn });
  for (;;) {
    const allocated = copyJson(draft);
    await allocate(allocated, undefined, claimsIn(context));
    try {
      return await storeNew(context, request, allocated, { nextStep, turn });
    } catch (error) {
      // Another write took a value in between, which cannot go on for ever: each time, that write succeeded.
      if (!isClaimConflict(error)) throw error;
    }
  }
}

/** @throws {Conflict} when another object took what this one claims. */
async function storeNew(
  context: RegistryContext,
  request: ResourceRequest<ServerWriteOptions>,
  draft: Draft,
  { nextStep, turn }: { readonly nextStep: NextStep; readonly turn: WriteTurn | undefined },
): Promise<ObjectResponse> {
  const { type, admission, options, user } = request;
  validateCreate(request, draft);
  if (nextStep !== undefined) await nextStep();
  if (admission.length > 0) await validate("create", request, draft, { turn });

  const { name = "", namespace } = draft.metadata as Names;
  const key = storeKey(type, { namespace, name });
  if (options.dryRun) {
    if (await fromStore(context.store.get(key))) throw await alreadyExists(context, type, key, name);
    encodeWithinLimit(context, type, draft, nothing, user.name);
    return new PlainObject(draft);
  }
  try {
    return await commitObject(context, type, key, draft, nothing, user);
  } catch (error) {
    if (isClaimConflict(error)) throw error;
    throw error instanceof Conflict ? await alreadyExists(context, type, key, name) : storeFailure(error);
  }
}

/** 409 that says whether the existing object is being deleted. */
async function alreadyExists(
  { store, objects }: RegistryContext,
  type: ResourceType,
  key: string,
  name: string,
): Promise<ApiError> {
  const error = failures.alreadyExists(resourceOf(type), name);
  const entry = await fromStore(store.get(key));
  if (!entry || !objects.get(type, entry).object.metadata.deletionTimestamp) return error;
  return new ApiError({ ...error.status, message: `object is being deleted: ${error.message}` });
}
