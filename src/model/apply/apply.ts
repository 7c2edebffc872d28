import { internal } from "../errors/api-error.js";
import { badRequest } from "../errors/failures.js";
import { getOwn, isJsonObject, type Json, jsonEqual, type JsonObject } from "../object/json.js";
import { type KubeObject, type ManagedFieldsEntry, parseApiVersion } from "../object/object.js";
import { managedFieldsOf, type FieldOwner, type FieldOwners, ownerId, parseOwners } from "./field-owner.js";
import {
  difference,
  emptySet,
  type FieldSet,
  hasField,
  isEmpty,
  recursiveDifference,
} from "./fields/field-set.js";
import { fieldElement, FieldSetError } from "./fields/path-element.js";
import { VersionChanges, unownedFields } from "./kind-versions.js";
import { fieldsToTakeOver, kubectl, withLastApplied } from "./last-applied.js";
import { adaptOwners, conflictsOf, type FieldConflict, transferOwnership } from "./ownership.js";
import { pruneUnapplied } from "./prune.js";
import { stripManagedFields, recordChanges, type FieldWrite } from "./record-update.js";
import { fieldSetOf } from "./typed/field-set-of.js";
import type { FieldType } from "./typed/field-type.js";
import { mergeTyped } from "./typed/merge.js";
import { renderFaults, typeFaults } from "./typed/type-faults.js";

/** Server-side apply request. */
export interface ApplyRequest extends FieldWrite {
  readonly kind: string;
  /** Stored object, in the version of the request; undefined if there is none. */
  readonly live: KubeObject | undefined;
  /** Applied configuration: the fields that the applier sets. */
  readonly config: Json;
  /** Take over fields that others own, instead of failing. */
  readonly force?: boolean | undefined;
}

/** Result of a successful apply. */
export interface ApplyResult {
  /** New object, without managedFields and before defaulting: nobody owns defaults. */
  readonly object: KubeObject;
  /** New managedFields; undefined for none. */
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
  /** True if the object differs from the stored one in more than field ownership. */
  readonly changed: boolean;
}

/** Result of an apply that would change fields of others, and was not forced. */
export interface ApplyConflict {
  readonly conflicts: readonly FieldConflict[];
}

/**
 * Applies a configuration to an object for one of several appliers.
 *
 * - The applier owns exactly the fields in its configuration (`fieldSetOf`). Fields that it applied last time
 *   and omits now are released; released fields that nobody else owns are removed (`pruneUnapplied`).
 * - Changing a field that somebody else owns is a conflict and has no effect. With `force`, the other owner
 *   loses the field. Applying the current value of a field makes it shared.
 * - If the object exists without owners, its fields are first assigned to `before-first-apply`.
 * - If the object does not exist, it is created from the configuration.
 * - If the object does not change, the time of the applier's entry does not either.
 *
 * Throws a 400 if the configuration does not match the schema, has undeclared fields, has two items with the
 * same key, or contains managedFields; also if the stored object does not match the schema (any more).
 *
 * @example
 * const result = apply({ live, config, manager: "ci", apiVersion: "demo.dev/v1", kind: "Widget", versions, time });
 * if ("conflicts" in result) throw conflictError(result.conflicts);
 */
export function apply(request: ApplyRequest): ApplyResult | ApplyConflict {
  const steps = applySteps(request);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Work that yields between its steps, each of which walks all fields once or twice. */
type Steps<Result> = Generator<void, Result>;

/** {@link apply} that yields between its steps, for large objects. */
export function* applySteps(request: ApplyRequest): Steps<ApplyResult | ApplyConflict> {
  try {
    const config = checkConfig(request);
    yield;
    return yield* applyChecked(request, config);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badRequest("the applied configuration is nested too deeply");
  }
}

/** Validates the configuration. */
function checkConfig({ config, apiVersion, kind, versions }: ApplyRequest): JsonObject {
  if (!isJsonObject(config)) throw badRequest("the applied configuration must be an object");
  const found = renderKind(config);
  if (getOwn(config, "apiVersion") !== apiVersion || getOwn(config, "kind") !== kind) {
    throw badRequest(`invalid object type: ${found}`);
  }
  const metadata = getOwn(config, "metadata");
  const managedFields = isJsonObject(metadata) ? getOwn(metadata, "managedFields") : undefined;
  if (managedFields !== undefined && managedFields !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
  const type = versions.types.get(apiVersion);
  const faults = type === undefined ? [`no corresponding type for ${found}`] : typeFaults(config, type);
  if (faults.length > 0)
    throw badRequest(`failed to create typed patch object ${describeFaults(config, faults)}`);
  return config;
}

/** `(ns/name; apps/v1, Kind=Deployment): .spec.replicas: expected …` */
function describeFaults(object: JsonObject, faults: readonly string[]): string {
  const metadata = getOwn(object, "metadata");
  const text = (name: string): string => {
    const value = isJsonObject(metadata) ? getOwn(metadata, name) : undefined;
    return typeof value === "string" ? value : "";
  };
  return `(${text("namespace")}/${text("name")}; ${renderKind(object)}): ${renderFaults(faults)}`;
}

/** `apps/v1, Kind=Deployment`, `/v1, Kind=ConfigMap`. */
function renderKind(config: JsonObject): string {
  const apiVersion = getOwn(config, "apiVersion");
  const kind = getOwn(config, "kind");
  const parsed = typeof apiVersion === "string" ? parseApiVersion(apiVersion) : { group: "", version: "" };
  if (parsed === undefined) return "/, Kind=";
  return `${parsed.group}/${parsed.version}, Kind=${typeof kind === "string" ? kind : ""}`;
}

function* applyChecked(request: ApplyRequest, config: JsonObject): Steps<ApplyResult | ApplyConflict> {
  const { live, apiVersion, kind, versions, base, manager, force = false } = request;
  let owners = decodeOwners(live);
  yield;
  if (owners.size === 0 && live !== undefined) {
    owners = recordChanges(owners, base, live, { ...request, manager: "before-first-apply" });
  }
  const before = live ?? base;
  const object = before === undefined ? { apiVersion, kind } : stripManagedFields(before);
  const type = versions.types.get(apiVersion);
  if (type === undefined) throw badRequest(`invalid object type: ${renderKind(config)}`);
  // Duplicate items in the stored object are allowed; they are owned together.
  const faults = typeFaults(object, type, true);
  if (faults.length > 0)
    throw badRequest(`failed to create typed live object ${describeFaults(object, faults)}`);
  yield;

  const attempt = yield* attemptApply(request, type, object, config, owners);
  if (attempt.conflicts.length > 0 && !force) {
    if (manager !== kubectl) return { conflicts: attempt.conflicts };
    const allowed = fieldsToTakeOver(object, type, apiVersion);
    const conflicts = attempt.conflicts.filter(({ path }) => !hasField(allowed, path));
    if (conflicts.length > 0) return { conflicts };
  }
  yield;
  const applied = manager === kubectl ? withLastApplied(attempt.object, config) : attempt.object;
  return {
    object: applied as unknown as KubeObject,
    managedFields: managedFieldsOf(attempt.owners.values()),
    changed: !jsonEqual(object, applied),
  };
}

function decodeOwners(live: KubeObject | undefined): FieldOwners {
  try {
    return parseOwners(live?.metadata.managedFields as Json | undefined);
  } catch (error) {
    if (!(error instanceof FieldSetError)) throw error;
    throw internal(new Error(`failed to decode managed fields: ${error.message}`));
  }
}

interface Attempt {
  readonly object: JsonObject;
  readonly owners: FieldOwners;
  /** Fields of others that would change. */
  readonly conflicts: readonly FieldConflict[];
}

function* attemptApply(
  request: ApplyRequest,
  type: FieldType,
  live: JsonObject,
  config: JsonObject,
  owners: FieldOwners,
): Steps<Attempt> {
  const { apiVersion, subresource = "", time, versions, ignored = emptySet } = request;
  const name = {
    manager: request.manager || "unknown",
    operation: "Apply",
    apiVersion,
    subresource,
  } as const;
  const id = ownerId(name);
  const adapted = adaptOwners(owners, versions);
  const last = adapted.get(id);
  const applier: FieldOwner = {
    ...name,
    time: last?.time,
    fields: recursiveDifference(fieldSetOf(config, type), ignored),
  };
  const all = new Map(adapted).set(id, applier);
  yield;

  const merged = mergeTyped(live, config, type);
  let object = isJsonObject(merged) ? merged : {};
  yield;
  if (last !== undefined) object = pruneUnapplied(object, all, last, versions);
  const changes = new VersionChanges(live, object, versions, ignored);
  yield;
  const left = transferOwnership(all, changes, id);
  yield;

  const fields = difference(applier.fields, unownedFields);
  const changed = !jsonEqual(withoutFields(live, ignored), withoutFields(object, ignored));
  if (isEmpty(fields)) left.delete(id);
  else left.set(id, { ...applier, fields, time: changed ? time : applier.time });
  return { object, owners: left, conflicts: conflictsOf(all, changes, id) };
}

/** Object without the given top-level fields. */
function withoutFields(object: JsonObject, ignored: FieldSet): JsonObject {
  if (isEmpty(ignored)) return object;
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => !hasField(ignored, [fieldElement(name)])),
  );
}
