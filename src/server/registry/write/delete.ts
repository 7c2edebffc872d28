import {
  failures,
  foregroundFinalizer,
  formatTime,
  orphanFinalizer,
  type ApiError,
  type KubeObject,
} from "../../../model/core.js";
import { Conflict } from "../../../store/index.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import { PlainObject, type ObjectResponse } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { storeKey, resourceOf } from "../keys.js";
import type { ServerDeleteOptions, DeleteResponse, ResourceRequest } from "../requests.js";
import { fromStore, storeFailure } from "../store-failures.js";
import { validate } from "./admit-object.js";
import { commitObject, commitRemoval } from "./commit-object.js";
import type { WriteTurn } from "./write-queue.js";

/**
 * Deletes an object. One with finalizers gets a deletionTimestamp instead, and is removed together with its last finalizer.
 * Propagation policies other than Background are finalizers, which the garbage collector removes.
 */
export async function deleteObject(
  context: RegistryContext,
  request: ResourceRequest<ServerDeleteOptions>,
): Promise<DeleteResponse> {
  const { type, user, signal } = request;
  const key = storeKey(type, request);
  return context.writes.run(key, { user: user.name, signal }, (turn) =>
    attemptDelete(context, request, key, turn),
  );
}

/** Reads the stored object and deletes or marks it; starts over when another process wrote it in between. */
async function attemptDelete(
  context: RegistryContext,
  request: ResourceRequest<ServerDeleteOptions>,
  key: string,
  turn: WriteTurn,
): Promise<DeleteResponse> {
  const { type, options, admission, signal } = request;
  for (;;) {
    signal?.throwIfAborted();
    const entry = await fromStore(context.store.get(key));
    if (entry === undefined) throw failures.notFound(resourceOf(type), request.name);
    const live = context.objects.get(type, entry);
    checkPreconditions(request, live.object);
    const why = type.strategy.forbidDelete?.(live.object);
    if (why !== undefined) throw failures.forbidden(resourceOf(type), request.name, why);
    if (admission.length > 0) await validate("delete", request, undefined, { old: live.object, turn });
    const terminating = markTerminating(context, type, live.object, options);
    const isRemoved = terminating === undefined;
    const respond = (object: ObjectResponse): DeleteResponse => {
      return { object, gone: isRemoved, accepted: !isRemoved && options.orphanDependents === false };
    };
    if (terminating === live.object) return respond(live);
    if (options.dryRun) return respond(isRemoved ? live : new PlainObject(terminating));
    try {
      const { object } = live;
      if (!isRemoved) {
        // A mark is small, and what cannot be marked could not be deleted.
        const replaced = { revision: entry.revision, bytes: Infinity, object };
        return respond(await commitObject(context, type, key, terminating, replaced, request.user));
      }
      return respond(await commitRemoval(context, type, entry, object));
    } catch (error) {
      // Another write was committed meanwhile: start over. A precondition may refuse the deletion then.
      if (!(error instanceof Conflict)) throw storeFailure(error);
    }
  }
}

/** The object as it waits for its finalizers; the same object if it does so already; undefined if it can be removed. */
function markTerminating(
  { clock }: RegistryContext,
  type: ResourceType,
  live: KubeObject,
  options: ServerDeleteOptions,
): Draft | KubeObject | undefined {
  const { finalizers: present = [], ...metadata } = live.metadata;
  const finalizers = finalizersAfter(present, options);
  if (finalizers.length === 0 && !type.strategy.holdsDeleted?.(live)) return undefined;
  if (metadata.deletionTimestamp && finalizers === present) return live;
  const terminating: Draft = {
    ...(live as Draft),
    metadata: { ...metadata, ...(finalizers.length > 0 && { finalizers }) },
  };
  if (!metadata.deletionTimestamp) {
    terminating.metadata["deletionTimestamp"] = formatTime(clock.now());
    terminating.metadata["deletionGracePeriodSeconds"] = 0;
    if (metadata.generation) terminating.metadata["generation"] = metadata.generation + 1;
    type.strategy.prepareDelete?.(terminating);
  }
  return terminating;
}

/** Finalizers according to the propagation policy; the same list if nothing changes. */
function finalizersAfter(present: readonly string[], options: ServerDeleteOptions): readonly string[] {
  const policy = policyOf(options);
  // Without a policy, that of an earlier delete stays in force.
  if (policy === undefined) return present;
  const finalizers = present.filter((name) => name !== foregroundFinalizer && name !== orphanFinalizer);
  if (policy === "Orphan") finalizers.push(orphanFinalizer);
  if (policy === "Foreground") finalizers.push(foregroundFinalizer);
  const before = new Set(present);
  const same = finalizers.length === present.length && finalizers.every((name) => before.has(name));
  return same ? present : finalizers;
}

function policyOf({ propagationPolicy, orphanDependents }: ServerDeleteOptions): string | undefined {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  return propagationPolicy;
}

function checkPreconditions(
  { type: { group, kind }, name, options: { preconditions = {} } }: ResourceRequest<ServerDeleteOptions>,
  { metadata }: KubeObject,
): void {
  // Kubernetes names the kind here, where it names the resource everywhere else.
  const differs = (field: string, expected: string, found = "", hint: string): ApiError =>
    failures.conflict(
      { group, resource: kind },
      name,
      `the ${field} in the precondition (${expected}) does not match the ${field} in record (${found}). The object might have been ${hint}`,
    );
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== metadata.uid) {
    throw differs("UID", uid, metadata.uid, "deleted and then recreated");
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw differs("ResourceVersion", resourceVersion, metadata.resourceVersion, "modified");
  }
}
