import {
  failures,
  fieldErrors,
  foregroundFinalizer,
  formatTime,
  orphanFinalizer,
  type ApiError,
  type KubeObject,
} from "../../../model/core.js";
import { Conflict } from "../../../store/index.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import { PlainObject, storedObject } from "../../resources/stored-object.js";
import type { Context } from "../context.js";
import { keyOf, resourceOf } from "../keys.js";
import type { Deleted, DeleteOptions, Target } from "../requests.js";
import { asFailure, asking } from "../store-failures.js";
import { put } from "./storing.js";

/**
 * Deletes an object, or begins to: one with finalizers gets a deletionTimestamp and goes when the last of them is
 * taken away. Propagation policies other than Background are finalizers, which the garbage collector takes away.
 */
export async function remove(
  context: Context,
  type: ResourceType,
  target: Target,
  options: DeleteOptions,
): Promise<Deleted> {
  checkOptions(options);
  const key = keyOf(type, target);
  for (;;) {
    const entry = await asking(context.store.get(key));
    if (entry === undefined) throw failures.notFound(resourceOf(type), target.name);
    const live = storedObject(type, entry);
    checkPreconditions(type, target, live.object, options);
    const why = type.strategy.forbidDelete?.(live.object);
    if (why !== undefined) throw failures.forbidden(resourceOf(type), target.name, why);
    const dying = begun(context, type, live.object, options);
    if (dying === live.object) return { answer: live, gone: false };
    if (options.dryRun) return { answer: dying ? new PlainObject(dying) : live, gone: dying === undefined };
    try {
      if (dying !== undefined) {
        return { answer: await put(context, type, key, dying, entry.revision), gone: false };
      }
      await context.store.commit([{ type: "delete", key, expect: entry.revision }]);
      return { answer: live, gone: true };
    } catch (error) {
      // Somebody else wrote it, which can only happen so often before it is gone; a precondition ends it too.
      if (!(error instanceof Conflict)) throw asFailure(error);
    }
  }
}

/** The object as it waits for its finalizers; itself when it does so already; undefined when nothing holds it. */
function begun(
  { clock }: Context,
  type: ResourceType,
  live: KubeObject,
  options: DeleteOptions,
): KubeObject | undefined {
  const { finalizers: present = [], ...metadata } = live.metadata;
  const finalizers = finalizersAfter(present, options);
  if (finalizers.length === 0 && !type.strategy.staysDeleted?.(live)) return undefined;
  if (metadata.deletionTimestamp && finalizers === present) return live;
  const dying: Draft = {
    ...(live as Draft),
    metadata: { ...metadata, ...(finalizers.length > 0 && { finalizers }) },
  };
  if (!metadata.deletionTimestamp) {
    dying.metadata["deletionTimestamp"] = formatTime(clock.now());
    dying.metadata["deletionGracePeriodSeconds"] = 0;
    if (metadata.generation) dying.metadata["generation"] = metadata.generation + 1;
    type.strategy.prepareDelete?.(dying);
  }
  return dying;
}

/** The finalizers that a policy asks for; the same list when they are there already. */
function finalizersAfter(present: readonly string[], options: DeleteOptions): readonly string[] {
  const policy = policyOf(options);
  // Nothing was said: what an earlier delete asked for stands.
  if (policy === undefined) return present;
  const finalizers = present.filter((name) => name !== foregroundFinalizer && name !== orphanFinalizer);
  if (policy === "Orphan") finalizers.push(orphanFinalizer);
  if (policy === "Foreground") finalizers.push(foregroundFinalizer);
  const known = new Set(present);
  const same = finalizers.length === present.length && finalizers.every((name) => known.has(name));
  return same ? present : finalizers;
}

function policyOf({ propagationPolicy, orphanDependents }: DeleteOptions): string | undefined {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  return propagationPolicy;
}

function checkOptions({ propagationPolicy, orphanDependents, gracePeriodSeconds }: DeleteOptions): void {
  const errors: fieldErrors.FieldError[] = [];
  if (propagationPolicy !== undefined) {
    const field = "propagationPolicy";
    if (orphanDependents !== undefined) {
      const detail = "orphanDependents and deletionPropagation cannot be both set";
      errors.push(fieldErrors.invalid(field, propagationPolicy, detail));
    }
    const policies = ["Foreground", "Background", "Orphan"];
    if (!policies.includes(propagationPolicy)) {
      errors.push(fieldErrors.notSupported(field, propagationPolicy, [...policies, "nil"]));
    }
  }
  if (gracePeriodSeconds !== undefined && !Number.isSafeInteger(gracePeriodSeconds)) {
    errors.push(fieldErrors.invalid("gracePeriodSeconds", gracePeriodSeconds, "must be a whole number"));
  }
  if (errors.length > 0) throw failures.invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
}

function checkPreconditions(
  { group, kind }: ResourceType,
  { name }: Target,
  { metadata }: KubeObject,
  { preconditions = {} }: DeleteOptions,
): void {
  // Kubernetes names the kind here, where it names the resource everywhere else.
  const differs = (field: string, asked: string, found = "", hint: string): ApiError =>
    failures.conflict(
      { group, resource: kind },
      name,
      `the ${field} in the precondition (${asked}) does not match the ${field} in record (${found}). The object might have been ${hint}`,
    );
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== metadata.uid) {
    throw differs("UID", uid, metadata.uid, "deleted and then recreated");
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw differs("ResourceVersion", resourceVersion, metadata.resourceVersion, "modified");
  }
}
