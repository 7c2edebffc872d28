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
import { expensiveBytes, pause } from "../../event-loop/turns.js";
import { contentLength } from "../../resources/encode-stored.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import { PlainObject, type StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { storeKey, resourceOf } from "../keys.js";
import type { ResourceRequest, ServerWriteOptions, WriteRequest, WriteResponse } from "../requests.js";
import { fromStore, storeFailure } from "../store-failures.js";
import { mutate, validate } from "./admit-object.js";
import { claimsIn } from "./claims.js";
import { checkSizeEarly, commitObject, commitRemoval, encodeWithinLimit } from "./commit-object.js";
import { createObject, type RecordOwnership } from "./create.js";
import { copyJson } from "./copy-json.js";
import { decodeObject, pruneAndDefault, type NextStep } from "./prune-and-default.js";
import { recordOwnership } from "./record-ownership.js";
import { countGeneration, requestedVersion, stampUpdate } from "./stamp-metadata.js";
import { validateUpdate } from "./validate-object.js";
import { maxWriteTime, type WriteTurn } from "./write-queue.js";

/**
 * Attempts of a write without a resourceVersion while other processes write the same object, or other requests take the values that it
 * claims; writes of one object in this process take turns. Each conflict means that another write succeeded, so this limit takes a
 * hundred successful writes during one request.
 */
const maxAttempts = 100;

/** Computes the object that a verb wants to store from the stored one. */
export interface WritePlan {
  /**
   * Returns the new object, decoded, pruned and defaulted. Its top level and metadata may be changed. Awaits `nextStep` between
   * expensive steps.
   */
  readonly propose: (live: StoredObject, nextStep: NextStep) => Draft | Promise<Draft>;
  /** Returns the object to create if none is stored, for verbs that may create one. */
  readonly proposeNew?: ((nextStep: NextStep) => Draft | Promise<Draft>) | undefined;
  /** Default: compare the stored object with the proposed one. */
  readonly recordOwnership?: RecordOwnership | undefined;
}

/** Replaces an object. */
export async function update(context: RegistryContext, request: WriteRequest): Promise<WriteResponse> {
  const { type, body, subresource } = request;
  const draft = decodeObject(type, body, request);
  const { name: user } = request.user;
  const nextStep = (body.bytes ?? 0) < expensiveBytes ? undefined : () => pause(user);
  if (nextStep !== undefined) await nextStep();
  await pruneAndDefault(type, draft, body, request, { nextStep });
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

/** A write of an object that may exist. */
type ObjectWrite = ResourceRequest<ServerWriteOptions> & Partial<Pick<WriteRequest, "body">>;

/** Reads the stored object, makes the new one and commits it. Writes of the same object take turns. */
export async function writeObject(
  context: RegistryContext,
  request: ObjectWrite,
  plan: WritePlan,
): Promise<WriteResponse> {
  const { type, user, signal, subresource } = request;
  const key = storeKey(type, request);
  const written = await context.writes.run(key, { user: user.name, signal }, (turn) =>
    writeInTurn(context, request, plan, key, turn),
  );
  // After its turn, because what it waits for may have to write the object, too.
  if (written.isCommitted && subresource === undefined) {
    await type.strategy.afterWrite?.(written.object.object);
  }
  return { object: written.object, created: written.created };
}

/** Response, and whether something was stored that effects have to follow. */
type Written = WriteResponse & { readonly isCommitted: boolean };

/** Starts over when another process wrote the object in between, until its time is up or its client disconnects. */
async function writeInTurn(
  context: RegistryContext,
  request: ObjectWrite,
  plan: WritePlan,
  key: string,
  turn: WriteTurn,
): Promise<Written> {
  const { type, signal, user, body } = request;
  const deadline = context.clock.now() + maxWriteTime;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const entry = await fromStore(context.store.get(key));
    const bytes = (body?.bytes ?? 0) + (entry?.value.length ?? 0);
    const step = (): Promise<void> | undefined => {
      signal?.throwIfAborted();
      return pause(user.name);
    };
    const nextStep = bytes < expensiveBytes ? undefined : step;
    try {
      if (entry !== undefined)
        return await attemptUpdate(context, request, plan, entry, { bytes, nextStep, turn });
      if (plan.proposeNew === undefined) throw failures.notFound(resourceOf(type), request.name);
      const draft = await plan.proposeNew(nextStep);
      const object = await createObject(context, request, draft, {
        record: plan.recordOwnership,
        bytes,
        turn,
      });
      return { object, created: true, isCommitted: !request.options.dryRun };
    } catch (error) {
      const isRetried = error instanceof Conflict || (entry === undefined && isAlreadyExists(error));
      if (!isRetried) throw storeFailure(error);
      if (attempt === maxAttempts || context.clock.now() > deadline)
        throw error instanceof Conflict ? modified(request) : error;
    }
  }
}

interface AttemptOptions {
  /** Size of the request and of the stored object. */
  readonly bytes: number;
  readonly nextStep: NextStep;
  readonly turn: WriteTurn;
}

/** The steps from the stored object to its successor. */
async function attemptUpdate(
  context: RegistryContext,
  request: ResourceRequest<ServerWriteOptions>,
  plan: WritePlan,
  entry: Entry,
  { bytes, nextStep, turn }: AttemptOptions,
): Promise<Written> {
  const { type, subresource, options, admission } = request;
  if (nextStep !== undefined) await nextStep();
  const stored = context.objects.get(type, entry);
  if (nextStep !== undefined) {
    stored.parse();
    await nextStep();
  }
  const live = stored.object;
  const replaced = { revision: entry.revision, bytes: contentLength(type, entry.value), object: live };
  if (nextStep !== undefined) await nextStep();
  const proposed = await plan.propose(stored, nextStep);
  checkVersion(request, proposed, live);
  const admitted =
    admission.length === 0
      ? proposed
      : await mutate("update", request, proposed, { old: live, nextStep, turn });
  let updated = restrictToSubresource(request, admitted, live);
  stampUpdate(updated, live);
  if (subresource === undefined) type.strategy.prepareUpdate?.(updated, live);
  if (nextStep !== undefined) await shareUnchanged(updated, live, nextStep);
  if (nextStep !== undefined) await nextStep();
  // Assigning a pod to a node changes nothing that its owner desires.
  if (subresource !== "binding") countGeneration(type, updated, live);
  if (nextStep !== undefined) await nextStep();
  checkSizeEarly(context, type, updated, replaced, bytes);
  (plan.recordOwnership ?? recordOwnership)(context, request, updated, live);
  if (nextStep !== undefined) await nextStep();
  if (subresource === undefined && type.strategy.allocate !== undefined) {
    // Allocation changes parts that may be shared with the stored object, or with another attempt.
    updated = copyJson(updated);
    await type.strategy.allocate(updated, live, claimsIn(context));
  }
  validateUpdate(request, updated, live);
  if (nextStep !== undefined) await nextStep();
  if (admission.length > 0) await validate("update", request, updated, { old: live, turn });

  const response = (object: WriteResponse["object"], isCommitted = false): Written => {
    return { object, created: false, isCommitted };
  };
  const isLast = isFinalized(type, updated);
  const isUnchanged = !isLast && jsonEqual(updated, live as unknown as Json);
  if (isUnchanged && (stored.upToDate || options.dryRun)) return response(stored);
  if (nextStep !== undefined) await nextStep();
  if (options.dryRun) {
    if (!isLast) encodeWithinLimit(context, type, updated, replaced, request.user.name);
    return response(new PlainObject(updated));
  }
  if (isLast) {
    await commitRemoval(context, type, entry, live);
    return response(new PlainObject(updated));
  }
  return response(await commitObject(context, type, entry.key, updated, replaced, request.user), true);
}

/** Replaces parts that equal the stored ones by these, so that the steps that follow need not look into them. */
async function shareUnchanged(
  updated: Draft,
  live: KubeObject,
  nextStep: () => Promise<void> | undefined,
): Promise<void> {
  shareFields(updated.metadata, live.metadata as unknown as Draft);
  await nextStep();
  shareFields(updated, live as unknown as Draft);
}

function shareFields(after: Record<string, Json>, before: Readonly<Record<string, Json>>): void {
  for (const field in after) {
    const [now, old] = [after[field], before[field]];
    if (field === "metadata" || now === old || now === undefined || old === undefined) continue;
    if (jsonEqual(now, old)) after[field] = old;
  }
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
