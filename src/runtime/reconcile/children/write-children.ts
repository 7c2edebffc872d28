import type { KindInfo } from "../../../client/kinds/kind.js";
import type { Source } from "../../../client/informer/source.js";
import type { Target, Transport } from "../../../client/transport/transport.js";
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

/** Under this name the caches of owned kinds find children by the uid of the owner that controls them. */
export const ownerIndex = "fettle/controller-uid";

/** The name of a child is in use by an object that is not this owner's. */
export class NameTakenError extends Error {
  override readonly name = "NameTakenError";
}

/** How many children of one kind are written at the same time. */
const writingAtOnce = 8;

/** How many children are remembered that a comparison cannot judge. */
const mostRemembered = 10_000;

export interface ChildrenContext {
  readonly owner: KubeObject;
  /** Who the fields belong to. */
  readonly fieldManager: string;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  /** What is there, by kind. */
  readonly cacheOf: (kind: KindInfo) => Source;
  readonly applied: AppliedChildren;
  /** Is told of each field that had to be set back, and of who had changed it. */
  readonly onDrift?: ((child: StagedChild, current: KubeObject) => void) | undefined;
}

/**
 * What was last applied, and what came of it: a server may write values in another way than it was told, and then a
 * comparison cannot tell that nothing has changed. Forgotten when the process ends, which costs one request per child.
 */
export class AppliedChildren {
  readonly #last = new Map<string, { readonly version: string; readonly text: string }>();

  remember({ uid, resourceVersion }: KubeObject["metadata"], desired: unknown): void {
    if (uid === undefined || resourceVersion === undefined) return;
    this.#last.delete(uid);
    const [oldest] = this.#last.size < mostRemembered ? [] : this.#last.keys();
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
 * Makes and changes children in the order they were staged: what is staged later may need what is staged earlier, such as
 * its namespace. Those of one kind that stand together are written at the same time.
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
    await atOnce(needed.slice(start, end), (child) => writeChild(context, child));
    start = end;
  }
}

/** Deletes the children of the owner that this controller made and that are no longer mentioned. */
export async function pruneChildren(
  context: ChildrenContext,
  kinds: readonly KindInfo[],
  staged: Staged,
): Promise<void> {
  for (const kind of kinds) {
    await atOnce(leftOver(context, kind, staged), (child) => deleteChild(context, kind, child));
  }
}

/** The children of one kind that this controller made and that are no longer mentioned. */
export function leftOver(
  { owner, cacheOf, fieldManager }: Pick<ChildrenContext, "owner" | "cacheOf" | "fieldManager">,
  kind: KindInfo,
  staged: Staged,
): readonly KubeObject[] {
  return cacheOf(kind)
    .byIndex(ownerIndex, owner.metadata.uid ?? "")
    .filter(({ metadata }) => !staged.has(kind, metadata.namespace ?? "", metadata.name ?? ""))
    .filter((child) => !child.metadata.deletionTimestamp && isMadeBy(child, fieldManager));
}

/** Whether a child is not as it should be, as far as the cache can tell. */
export function needsWrite(
  { cacheOf, fieldManager, applied, owner }: Omit<ChildrenContext, "transport" | "signal">,
  child: StagedChild,
): boolean {
  const current = cacheOf(child.kind).get(keyOf(child.namespace, child.name));
  if (current === undefined) return true;
  // It goes, and its name becomes free: the event that says so brings the owner back.
  if (current.metadata.deletionTimestamp && controllerOf(current)?.uid === owner.metadata.uid) return false;
  if (applied.isUnchanged(current.metadata, child.desired)) return false;
  const owned = ownedFields(current, fieldManager);
  return owned === undefined || !isApplied(child.desired, current as unknown as Json, owned);
}

async function writeChild(context: ChildrenContext, child: StagedChild): Promise<void> {
  const { cacheOf, applied, onDrift } = context;
  const current = cacheOf(child.kind).get(keyOf(child.namespace, child.name));
  if (current !== undefined) {
    checkOwner(context.owner, child, current);
    if (ownedFields(current, context.fieldManager) !== undefined) onDrift?.(child, current);
  }
  const answer = await applyChild(context, child, current);
  const owned = ownedFields(answer, context.fieldManager);
  // Only what a comparison cannot tell has to be remembered.
  if (owned !== undefined && isApplied(child.desired, answer as unknown as Json, owned)) {
    applied.forget(answer.metadata.uid);
  } else applied.remember(answer.metadata, child.desired);
}

/**
 * What the cache does not show may be there all the same, and another's: it is not taken over by force. What it shows is
 * changed only as long as it is the same object.
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

/** Throws when an object has the name of a child but is not this owner's. */
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
    `${child.kind.kind} ${keyOf(child.namespace, child.name)} is there already and belongs ${whose}, not to ${owner.kind} ${owner.metadata.name}: ${wayOut}`,
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
    // Another object has got the name by now, or this one could not be deleted for once.
    if (!isConflict(error) || (await isThere(transport, kind, target, uid, signal))) throw error;
  }
}

async function isThere(
  transport: Transport,
  kind: KindInfo,
  target: Target,
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

/** The fields that a manager applied; undefined when it has applied none, or nobody says. */
export function ownedFields(object: KubeObject, fieldManager: string): JsonObject | undefined {
  return object.metadata.managedFields?.find(
    ({ manager, operation, subresource }) =>
      manager === fieldManager && operation === "Apply" && (subresource ?? "") === "",
  )?.fieldsV1;
}

/** Where nobody says who wrote what, being owned has to do. */
function isMadeBy(object: KubeObject, fieldManager: string): boolean {
  return object.metadata.managedFields === undefined || ownedFields(object, fieldManager) !== undefined;
}

function keyOf(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

async function atOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
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
  // What is under way is waited for, so that nothing of this run goes on after it.
  const outcomes = await Promise.allSettled(
    Array.from({ length: Math.min(writingAtOnce, items.length) }, worker),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
