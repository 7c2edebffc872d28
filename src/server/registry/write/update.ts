import {
  failures,
  fieldErrors,
  isAlreadyExists,
  type Json,
  type KubeObject,
  type ObjectMeta,
} from "../../../model/core.js";
import { jsonEqual } from "../../../model/object/json.js";
import { Conflict, type Entry } from "../../../store/index.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import { PlainObject, type StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { storeKey, resourceOf } from "../keys.js";
import type { ResourceRequest, ServerWriteOptions, WriteRequest, WriteResponse } from "../requests.js";
import { fromStore, storeFailure } from "../store-failures.js";
import { mutate, validate } from "./admit-object.js";
import { claimsIn } from "./claims.js";
import { commitObject, commitRemoval } from "./commit-object.js";
import { createObject, type RecordOwnership } from "./create.js";
import { decodeObject, pruneAndDefault } from "./prune-and-default.js";
import { recordOwnership } from "./record-ownership.js";
import { countGeneration, requestedVersion, stampUpdate } from "./stamp-metadata.js";
import { validateUpdate } from "./validate-object.js";

/**
 * Attempts of a write without a resourceVersion while other requests write the same object. Each conflict means that another
 * write succeeded, so this limit takes a hundred successful writes during one request.
 */
const maxAttempts = 100;

/** Computes the object that a verb wants to store from the stored one. */
export interface WritePlan {
  /** Returns the new object, decoded, pruned and defaulted. Its top level and metadata may be changed. */
  readonly propose: (live: StoredObject) => Draft;
  /** Returns the object to create if none is stored, for verbs that may create one. */
  readonly proposeNew?: (() => Draft) | undefined;
  /** Default: compare the stored object with the proposed one. */
  readonly recordOwnership?: RecordOwnership | undefined;
}

/** Replaces an object. */
export function update(context: RegistryContext, request: WriteRequest): Promise<WriteResponse> {
  const { type, body, subresource } = request;
  const draft = decodeObject(type, body, request);
  pruneAndDefault(type, draft, body, request);
  const propose = (uid: string | undefined): Draft => {
    checkUid(request, draft.metadata, uid);
    return Object.assign({}, draft, { metadata: Object.assign({}, draft.metadata) });
  };
  const mayCreate = type.strategy.allowCreateOnUpdate && subresource === undefined;
  return writeObject(context, request, {
    propose: (live) => propose(live.object.metadata.uid),
    proposeNew: mayCreate ? () => propose("") : undefined,
  });
}

/** Reads the stored object, makes the new one and commits it. Starts over when another write was committed meanwhile. */
export async function writeObject(
  context: RegistryContext,
  request: ResourceRequest<ServerWriteOptions>,
  plan: WritePlan,
): Promise<WriteResponse> {
  const { type } = request;
  const key = storeKey(type, request);
  for (let attempt = 1; ; attempt++) {
    const entry = await fromStore(context.store.get(key));
    try {
      if (entry !== undefined) return await attemptUpdate(context, request, plan, entry);
      if (plan.proposeNew === undefined) throw failures.notFound(resourceOf(type), request.name);
      const object = await createObject(context, request, plan.proposeNew(), plan.recordOwnership);
      return { object, created: true };
    } catch (error) {
      const isRetried = error instanceof Conflict || (entry === undefined && isAlreadyExists(error));
      if (!isRetried) throw storeFailure(error);
      if (attempt === maxAttempts) throw error instanceof Conflict ? modified(request) : error;
    }
  }
}

/** The steps from the stored object to its successor. */
async function attemptUpdate(
  context: RegistryContext,
  request: ResourceRequest<ServerWriteOptions>,
  plan: WritePlan,
  entry: Entry,
): Promise<WriteResponse> {
  const { type, subresource, options, admission } = request;
  const stored = context.objects.get(type, entry);
  const live = stored.object;
  const proposed = plan.propose(stored);
  checkVersion(request, proposed, live);
  const admitted = admission.length === 0 ? proposed : await mutate("update", request, proposed, live);
  const updated = restrictToSubresource(request, admitted, live);
  stampUpdate(updated, live);
  if (subresource === undefined) type.strategy.prepareUpdate?.(updated, live);
  // Assigning a pod to a node changes nothing that its owner desires.
  if (subresource !== "binding") countGeneration(type, updated, live);
  (plan.recordOwnership ?? recordOwnership)(context, request, updated, live);
  if (subresource === undefined) await type.strategy.allocate?.(updated, live, claimsIn(context));
  validateUpdate(request, updated, live);
  if (admission.length > 0) await validate("update", request, updated, live);

  const response = (object: WriteResponse["object"]): WriteResponse => ({ object, created: false });
  const isLast = isFinalized(type, updated);
  const isUnchanged = !isLast && jsonEqual(updated, live as unknown as Json);
  if (isUnchanged && (stored.upToDate || options.dryRun)) return response(stored);
  if (options.dryRun) return response(new PlainObject(updated));
  if (isLast) {
    await commitRemoval(context, type, entry, live);
    return response(new PlainObject(updated));
  }
  const object = await commitObject(context, type, entry.key, updated, entry.revision, request.user, live);
  if (subresource === undefined) await type.strategy.afterWrite?.(object.object);
  return response(object);
}

/** An object that is being deleted is removed together with its last finalizer. */
function isFinalized({ strategy }: ResourceType, object: Draft): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata as ObjectMeta;
  if (!deletionTimestamp || (finalizers?.length ?? 0) > 0 || (deletionGracePeriodSeconds ?? 0) > 0)
    return false;
  return !strategy.holdsDeleted?.(object);
}

/** Refuses a write for another resourceVersion than the stored one; some kinds require a version. */
function checkVersion(
  request: ResourceRequest<ServerWriteOptions>,
  { metadata }: Draft,
  live: KubeObject,
): void {
  const { type, name } = request;
  const version = requestedVersion(metadata);
  if (version !== undefined) {
    if (version !== live.metadata.resourceVersion) throw modified(request);
  } else if (type.strategy.allowUnconditionalUpdate) {
    metadata["resourceVersion"] = live.metadata.resourceVersion;
  } else {
    throw failures.invalid({ group: type.group, kind: type.plural }, name, [
      fieldErrors.invalid("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  }
}

/** A write through a subresource changes nothing else; a write of the object leaves the status as it is. */
function restrictToSubresource(
  { type, subresource }: ResourceRequest<ServerWriteOptions>,
  updated: Draft,
  live: KubeObject,
): Draft {
  switch (subresource) {
    case "status":
      return setStatus(
        { ...(live as Draft), metadata: metadataOfStatus(type, updated, live) },
        updated["status"],
      );
    case "finalize": {
      const { finalizers = [] } = (updated["spec"] ?? {}) as { finalizers?: unknown };
      const metadata = metadataOfStatus(type, updated, live);
      return { ...(live as Draft), metadata, spec: { ...(live.spec as object), finalizers } };
    }
    case "ephemeralcontainers": {
      const { ephemeralContainers } = (updated["spec"] ?? {}) as { ephemeralContainers?: unknown };
      const { ephemeralContainers: _, ...spec } = live.spec as { ephemeralContainers?: unknown };
      const metadata = keptMetadata(updated, live);
      return {
        ...(live as Draft),
        metadata,
        spec: ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers },
      };
    }
    case "binding":
    case "eviction":
      return updated;
    default:
      return type.subresources.status ? setStatus(updated, live.status) : updated;
  }
}

/** Metadata of a write through a subresource that changes none of it. */
function keptMetadata({ metadata }: Draft, live: KubeObject): Draft["metadata"] {
  const { managedFields } = metadata;
  return managedFields === undefined ? { ...live.metadata } : { ...live.metadata, managedFields };
}

/** Metadata of a write through `status`: built-in kinds take what is sent along, except for some fields. */
function metadataOfStatus({ strategy }: ResourceType, updated: Draft, live: KubeObject): Draft["metadata"] {
  const { keptByStatus = "all" } = strategy;
  if (keptByStatus === "all") return keptMetadata(updated, live);
  const metadata = { ...updated.metadata };
  for (const field of keptByStatus) {
    if (live.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = live.metadata[field];
  }
  return metadata;
}

function setStatus(draft: Draft, status: unknown): Draft {
  if (status !== undefined) draft["status"] = status;
  else if (draft["status"] !== undefined) delete draft["status"];
  return draft;
}

/** Refuses a write that names the uid of another object than the stored one. */
export function checkUid(
  { type, name }: ResourceRequest<ServerWriteOptions>,
  metadata: Draft["metadata"],
  uid: string | undefined,
): void {
  const requested = metadata["uid"] as string | undefined;
  if (!requested || requested === uid) return;
  const why = `Precondition failed: UID in precondition: ${requested}, UID in object meta: ${uid ?? ""}`;
  throw failures.conflict(resourceOf(type), name, why);
}

function modified({ type, name }: ResourceRequest<ServerWriteOptions>): Error {
  return failures.conflict(resourceOf(type), name, failures.modifiedConflict);
}
