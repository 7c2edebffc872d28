import {
  failures,
  fieldErrors,
  isAlreadyExists,
  validateObjectMetaUpdate,
  type Json,
  type KubeObject,
  type ObjectMeta,
} from "../../../model/core.js";
import { validateFinalizers } from "../../../model/object/finalizers.js";
import { jsonEqual } from "../../../model/patch/json-equal.js";
import { Conflict } from "../../../store/index.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import { type Answer, PlainObject, type StoredObject, storedObject } from "../../resources/stored-object.js";
import type { Context } from "../context.js";
import { keyOf, resourceOf } from "../keys.js";
import type { Body, Subresource, Target, WriteOptions, Written } from "../requests.js";
import { asFailure, asking } from "../store-failures.js";
import { createTidied, drop } from "./creating.js";
import { warnOfFinalizers } from "./finalizers.js";
import { objectIn, tidy } from "./incoming.js";
import { recordOwnership } from "./ownership.js";
import { put } from "./storing.js";
import { versionIn } from "./version.js";

/**
 * How often a write that names no version is tried again when others write the same object. Each failure means that
 * somebody else got through, so this ends unless a hundred others never stop.
 */
const attempts = 100;

/** What a write wants of an object. */
export interface Revision {
  /** Makes of the object that is there what the client wants, pruned and defaulted, to be changed freely. */
  readonly revise: (live: StoredObject) => Draft;
  /** Creates the object where none is there, for writes that may. */
  readonly create?: (() => Promise<Answer>) | undefined;
  /** Whether what `revise` returns has its managedFields settled, as after a server-side apply. */
  readonly recorded?: boolean | undefined;
}

/** Replaces an object with what was sent. */
export function update(
  context: Context,
  type: ResourceType,
  target: Target,
  body: Body,
  options: WriteOptions,
): Promise<Written> {
  const draft = objectIn(type, body, target);
  tidy(type, draft, body, options);
  const copy = (): Draft => Object.assign({}, draft, { metadata: Object.assign({}, draft.metadata) });
  const mayCreate = type.strategy.allowCreateOnUpdate && options.subresource === undefined;
  return revising(context, type, target, options, {
    revise(live) {
      checkUid(type, target, draft.metadata, live.object.metadata.uid);
      return copy();
    },
    create: mayCreate
      ? () => {
          checkUid(type, target, draft.metadata, "");
          return createTidied(context, type, copy(), options);
        }
      : undefined,
  });
}

/**
 * Reads, revises and writes an object, again while others get in between. What the revision may not decide is put
 * back: identity, generation, and the parts that belong to other subresources.
 */
export async function revising(
  context: Context,
  type: ResourceType,
  target: Target,
  options: WriteOptions,
  { revise, create, recorded = false }: Revision,
): Promise<Written> {
  const key = keyOf(type, target);
  for (let attempt = 1; ; attempt++) {
    const entry = await asking(context.store.get(key));
    if (entry === undefined) {
      if (create === undefined) throw failures.notFound(resourceOf(type), target.name);
      try {
        return { answer: await create(), created: true };
      } catch (error) {
        // Somebody else created it meanwhile.
        if (!isAlreadyExists(error) || attempt === attempts) throw error;
        continue;
      }
    }
    const live = storedObject(type, entry);
    const revised = revise(live);
    settleVersion(type, target, revised, live.object);
    const updated = keepApart(type, revised, live.object, options.subresource);
    settle(context, type, updated, live, options, recorded);
    const answered = (answer: Answer): Written => ({ answer, created: false });
    const finished = isFinished(type, updated);
    if (!finished && isSame(updated, live.object) && (live.upToDate || options.dryRun)) return answered(live);
    if (options.dryRun) return answered(new PlainObject(updated));
    try {
      if (finished) {
        await context.store.commit([{ type: "delete", key, expect: entry.revision }]);
        return answered(new PlainObject(updated));
      }
      const like = options.subresource === "status" ? live : undefined;
      const answer = await put(context, type, key, updated, entry.revision, like);
      if (options.subresource === undefined) await type.strategy.afterWrite?.(answer.object);
      return answered(answer);
    } catch (error) {
      if (!(error instanceof Conflict)) throw asFailure(error);
      if (attempt === attempts) throw modified(type, target);
    }
  }
}

/** An object that is being deleted goes with its last finalizer. */
function isFinished({ strategy }: ResourceType, object: Draft): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata as ObjectMeta;
  if (!deletionTimestamp || (finalizers?.length ?? 0) > 0 || (deletionGracePeriodSeconds ?? 0) > 0)
    return false;
  return !strategy.staysDeleted?.(object);
}

function isSame(updated: Draft, live: KubeObject): boolean {
  return jsonEqual(updated, live as unknown as Json);
}

/** A write that says which version it has seen is for that one alone; some kinds insist on its saying so. */
function settleVersion(type: ResourceType, target: Target, { metadata }: Draft, live: KubeObject): void {
  const asked = versionIn(metadata);
  if (asked !== undefined) {
    if (asked !== live.metadata.resourceVersion) throw modified(type, target);
  } else if (type.strategy.allowUnconditionalUpdate) {
    metadata["resourceVersion"] = live.metadata.resourceVersion;
  } else {
    throw failures.invalid({ group: type.group, kind: type.plural }, target.name, [
      fieldErrors.invalid("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  }
}

/** A write through one subresource changes that one alone. */
function keepApart(
  type: ResourceType,
  updated: Draft,
  live: KubeObject,
  subresource: Subresource | undefined,
): Draft {
  if (subresource === "status" || subresource === "finalize") {
    const kept: Draft = { ...(live as Draft), metadata: { ...live.metadata } };
    const { managedFields } = updated.metadata;
    if (managedFields !== undefined) kept.metadata["managedFields"] = managedFields;
    if (subresource === "status") return setStatus(kept, updated["status"]);
    const spec = updated["spec"] as { finalizers?: unknown } | undefined;
    return { ...kept, spec: { ...(kept["spec"] as object), finalizers: spec?.finalizers ?? [] } };
  }
  return type.subresources.status ? setStatus(updated, live.status) : updated;
}

function setStatus(draft: Draft, status: unknown): Draft {
  if (status !== undefined) draft["status"] = status;
  else if (draft["status"] !== undefined) delete draft["status"];
  return draft;
}

/** Completes metadata, records who wrote what, and validates. */
function settle(
  context: Context,
  type: ResourceType,
  updated: Draft,
  stored: StoredObject,
  options: WriteOptions,
  recorded: boolean,
): void {
  const { strategy } = type;
  const live = stored.object;
  const main = options.subresource === undefined;
  keepIdentity(updated, live);
  if (main) strategy.prepareUpdate?.(updated, live);
  if (strategy.generation && desiredChanged(type, updated, live)) {
    updated.metadata["generation"] = (live.metadata.generation ?? 0) + 1;
  }
  if (!recorded) recordOwnership(context, type, live, updated, options);
  validate(type, updated, live, options);
  for (const text of strategy.warnings?.(updated) ?? []) options.warn?.(text);
  if (main) warnOfFinalizers(type, updated, live, options);
}

/** Puts back what clients may leave out, and what they cannot change. Other changes of it are left to be refused. */
function keepIdentity({ metadata }: Draft, { metadata: old }: KubeObject): void {
  const keep = (field: keyof ObjectMeta): void => {
    if (old[field] === undefined) drop(metadata, field);
    else metadata[field] = old[field];
  };
  drop(metadata, "selfLink");
  keep("generation");
  keep("creationTimestamp");
  metadata["uid"] ||= old.uid;
  if (old.deletionTimestamp) keep("deletionTimestamp");
  if (metadata["deletionGracePeriodSeconds"] === undefined) keep("deletionGracePeriodSeconds");
}

/** What breaks a rule of the schema but did not change is let be, and warned of: also when the write is then refused. */
function validate(
  type: ResourceType,
  updated: Draft,
  live: KubeObject,
  { subresource, warn }: WriteOptions,
): void {
  const { group, kind, strategy } = type;
  const metadata = updated.metadata as ObjectMeta;
  const errors = [
    ...validateFinalizers(metadata.finalizers, "metadata.finalizers"),
    ...validateObjectMetaUpdate(metadata, live.metadata, {
      builtIn: type.capabilities.unqualifiedFinalizers === "refuse",
    }),
    ...type.rules.validate(updated, live, {
      statusOnly: subresource === "status",
      tolerate: warn && ((error) => warn(fieldErrors.renderFieldError(error))),
    }),
    ...(strategy.validateUpdate?.(updated, live, subresource) ?? []),
  ];
  if (errors.length > 0) throw failures.invalid({ group, kind }, live.metadata.name ?? "", errors);
}

/** Whether anything but metadata changed, and status where it is a subresource. */
function desiredChanged(type: ResourceType, updated: Draft, live: KubeObject): boolean {
  const before = live as unknown as Record<string, Json>;
  const after = updated as Record<string, Json>;
  const isDesired = (field: string): boolean => {
    if (field === "metadata" || field === "apiVersion" || field === "kind") return false;
    return field !== "status" || !type.subresources.status;
  };
  for (const field in after) {
    const left = before[field];
    const right = after[field];
    if (left === right || !isDesired(field)) continue;
    if (left === undefined || right === undefined || !jsonEqual(left, right)) return true;
  }
  for (const field in before) if (after[field] === undefined && isDesired(field)) return true;
  return false;
}

/** A write that names a uid is for that object alone, not for another of the same name. */
export function checkUid(
  type: ResourceType,
  target: Target,
  metadata: Draft["metadata"],
  uid: string | undefined,
): void {
  const asked = metadata["uid"] as string | undefined;
  if (!asked || asked === uid) return;
  const why = `Precondition failed: UID in precondition: ${asked}, UID in object meta: ${uid ?? ""}`;
  throw failures.conflict(resourceOf(type), target.name, why);
}

function modified(type: ResourceType, { name }: Target): Error {
  return failures.conflict(resourceOf(type), name, failures.modifiedConflict);
}
