import type { KindInfo } from "../../../client/kinds/kind.js";
import type { Source } from "../../../client/source/source.js";
import type { Transport } from "../../../client/transport/transport.js";
import type { ObjectKey } from "../../../model/object/object-key.js";
import {
  controllerOf,
  isConflict,
  isNotFound,
  type Json,
  type JsonObject,
  type KubeObject,
} from "../../../model/core.js";
import { isApplied } from "./is-applied.js";
import type { Staged, StagedChild } from "./staged.js";

/** Name of the index of children by the uid of their controller, in the caches of owned kinds. */
export const ownerIndex = "fettle/controller-uid";

/** The name of a child is in use by an object that this owner does not control. */
export class NameTakenError extends Error {
  override readonly name = "NameTakenError";
}

/** Children of one kind that are written at the same time. */
const maxConcurrentWrites = 8;

/** Applied children that are remembered. */
const maxRemembered = 10_000;

export interface ChildrenContext {
  readonly owner: KubeObject;
  readonly fieldManager: string;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly cacheOf: (kind: KindInfo) => Source;
  readonly applied: AppliedChildren;
}

/**
 * Children as last applied, with the resulting version. A server may normalise values, and then comparing the desired with the
 * stored object cannot show that nothing has changed. Lost when the process ends, which costs one request per child.
 */
export class AppliedChildren {
  readonly #last = new Map<string, { readonly version: string; readonly text: string }>();

  remember({ uid, resourceVersion }: KubeObject["metadata"], desired: unknown): void {
    if (uid === undefined || resourceVersion === undefined) return;
    this.#last.delete(uid);
    const [oldest] = this.#last.size < maxRemembered ? [] : this.#last.keys();
    if (oldest !== undefined) this.#last.delete(oldest);
    this.#last.set(uid, { version: resourceVersion, text: JSON.stringify(desired) });
  }

  isUnchanged({ uid, resourceVersion }: KubeObject["metadata"], desired: unknown): boolean {
    const last = this.#last.get(uid ?? "");
    return last !== undefined && last.version === resourceVersion && last.text === JSON.stringify(desired);
  }

  forget(uid: string | undefined): void {
    if (uid !== undefined) this.#last.delete(uid);
  }
}

/**
 * Creates and updates children in the order they were staged, since later ones may need earlier ones, such as their
 * namespace. Neighbours of one kind are written at the same time.
 */
export async function writeChildren(
  context: ChildrenContext,
  children: readonly StagedChild[],
): Promise<void> {
  const needed = children.filter((child) => needsWrite(context, child));
  for (let start = 0; start < needed.length;) {
    const kind = needed[start]?.kind;
    let end = start + 1;
    while (end < needed.length && needed[end]?.kind === kind) end++;
    await concurrently(needed.slice(start, end), (child) => writeChild(context, child));
    start = end;
  }
}

/** Deletes the owner's children that this controller made and that were not staged. */
export async function pruneChildren(
  context: ChildrenContext,
  kinds: readonly KindInfo[],
  staged: Staged,
): Promise<void> {
  for (const kind of kinds) {
    await concurrently(notStaged(context, kind, staged), (child) => deleteChild(context, kind, child));
  }
}

/** The owner's children of one kind that this controller made and that were not staged. */
export function notStaged(
  { owner, cacheOf, fieldManager }: Pick<ChildrenContext, "owner" | "cacheOf" | "fieldManager">,
  kind: KindInfo,
  staged: Staged,
): readonly KubeObject[] {
  return cacheOf(kind)
    .byIndex(ownerIndex, owner.metadata.uid ?? "")
    .filter(({ metadata }) => !staged.has(kind, metadata.namespace ?? "", metadata.name ?? ""))
    .filter((child) => !child.metadata.deletionTimestamp && isMadeBy(child, fieldManager));
}

/** Whether a child differs from its desired state, according to the cache. */
export function needsWrite(
  { cacheOf, fieldManager, applied, owner }: Omit<ChildrenContext, "transport" | "signal">,
  child: StagedChild,
): boolean {
  const current = cacheOf(child.kind).get(keyOf(child.namespace, child.name));
  if (current === undefined) return true;
  // It is being deleted; that event triggers a run, in which it is created again.
  if (current.metadata.deletionTimestamp && controllerOf(current)?.uid === owner.metadata.uid) return false;
  if (applied.isUnchanged(current.metadata, child.desired)) return false;
  const owned = ownedFields(current, fieldManager);
  return owned === undefined || !isApplied(child.desired, current as unknown as Json, owned);
}

async function writeChild(context: ChildrenContext, child: StagedChild): Promise<void> {
  const { cacheOf, applied } = context;
  const current = cacheOf(child.kind).get(keyOf(child.namespace, child.name));
  if (current !== undefined) checkOwner(context.owner, child, current);
  const written = await applyChild(context, child, current);
  const owned = ownedFields(written, context.fieldManager);
  // Remember only children for which comparing is not enough.
  if (owned !== undefined && isApplied(child.desired, written as unknown as Json, owned)) {
    applied.forget(written.metadata.uid);
  } else applied.remember(written.metadata, child.desired);
}

/**
 * Applies a child. An object that is not in the cache may exist and belong to another owner, so it is applied without force
 * first. One in the cache is changed only while it is the same object (uid).
 */
async function applyChild(
  context: ChildrenContext,
  child: StagedChild,
  current: KubeObject | undefined,
): Promise<KubeObject> {
  const { transport, fieldManager, signal } = context;
  const target = { name: child.name, ...(child.namespace !== "" && { namespace: child.namespace }) };
  const options = { fieldManager, signal };
  if (current !== undefined) {
    const { uid = "" } = current.metadata;
    const body = { ...child.desired, metadata: { ...child.desired.metadata, uid } };
    return transport.patch(child.kind, target, { type: "apply", body, force: true }, options);
  }
  try {
    return await transport.patch(
      child.kind,
      target,
      { type: "apply", body: child.desired, force: false },
      options,
    );
  } catch (error) {
    if (!isConflict(error)) throw error;
    const live = await transport.get(child.kind, target, { signal });
    checkOwner(context.owner, child, live);
    return applyChild(context, child, live);
  }
}

/** Throws if an object with the name of a child is not controlled by this owner. */
export function checkOwner(owner: KubeObject, child: StagedChild, current: KubeObject): void {
  const controller = controllerOf(current);
  if (controller?.uid === owner.metadata.uid) return;
  if (controller === undefined && child.adopt) return;
  const whose = controller === undefined ? "to nobody" : `to ${controller.kind} ${controller.name}`;
  const wayOut =
    controller === undefined
      ? "delete it, choose another name, or pass { adopt: true } to take it over"
      : "choose another name";
  throw new NameTakenError(
    `${child.kind.kind} ${keyOf(child.namespace, child.name)} already exists and belongs ${whose}, not to ${owner.kind} ${owner.metadata.name}: ${wayOut}`,
  );
}

async function deleteChild(
  { transport, signal, applied }: ChildrenContext,
  kind: KindInfo,
  child: KubeObject,
): Promise<void> {
  const { name = "", namespace, uid } = child.metadata;
  const target = { name, namespace };
  try {
    await transport.delete(kind, target, {
      signal,
      preconditions: { uid },
      propagationPolicy: "Background",
    });
    applied.forget(uid);
  } catch (error) {
    if (isNotFound(error)) return;
    // The precondition fails when another object has taken the name.
    if (!isConflict(error) || (await isThere(transport, kind, target, uid, signal))) throw error;
  }
}

async function isThere(
  transport: Transport,
  kind: KindInfo,
  target: ObjectKey,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await transport.get(kind, target, { signal, metadataOnly: true })).metadata.uid === uid;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** The fields that a manager applied (fieldsV1); undefined if it has applied none, or managed fields are missing. */
export function ownedFields(object: KubeObject, fieldManager: string): JsonObject | undefined {
  return object.metadata.managedFields?.find(
    ({ manager, operation, subresource }) =>
      manager === fieldManager && operation === "Apply" && (subresource ?? "") === "",
  )?.fieldsV1;
}

/** Without managed fields, being controlled by the owner has to suffice. */
function isMadeBy(object: KubeObject, fieldManager: string): boolean {
  return object.metadata.managedFields === undefined || ownedFields(object, fieldManager) !== undefined;
}

function keyOf(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

async function concurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const item of left) {
      if (failed) return;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  // Wait for all of them, so that no write of this run continues after it.
  const outcomes = await Promise.allSettled(
    Array.from({ length: Math.min(maxConcurrentWrites, items.length) }, worker),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
