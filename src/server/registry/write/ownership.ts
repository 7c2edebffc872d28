import { formatTime, type JsonObject, type KubeObject } from "../../../model/core.js";
import { resetFields, type KindVersions } from "../../../model/apply/kind-versions.js";
import { recordUpdate, type Write } from "../../../model/apply/record-update.js";
import { objectType, type FieldType } from "../../../model/apply/typed/field-type.js";
import { apiVersionOf, type Draft, type ResourceType } from "../../resources/resource-type.js";
import type { ResourceTypes } from "../../resources/resource-types.js";
import type { Context } from "../context.js";
import { copyOf } from "./copy.js";
import type { WriteOptions } from "../requests.js";

/** Writes down who changed which fields, from what the object was and what it is to be. */
export function recordOwnership(
  context: Context,
  type: ResourceType,
  live: KubeObject | undefined,
  updated: Draft,
  options: WriteOptions,
): void {
  const { manager, apiVersion, subresource, time, versions, ignored, base } = writeOf(context, type, options);
  const managedFields = recordUpdate({
    manager,
    apiVersion,
    subresource,
    time,
    versions,
    ignored,
    base,
    live,
    updated,
  });
  if (managedFields !== undefined) updated.metadata["managedFields"] = managedFields;
  else delete updated.metadata["managedFields"];
}

/** Who writes, when, and in which of the kind's versions. */
export function writeOf(context: Context, type: ResourceType, options: WriteOptions): Write {
  const { fieldManager = "unknown", subresource } = options;
  return {
    manager: fieldManager,
    apiVersion: apiVersionOf(type),
    subresource,
    time: formatTime(context.clock.now()),
    versions: versionsOf(context.types, type),
    ignored: resetFields(type.subresources.status === true, subresource),
    base: baseOf(type),
  };
}

const bases = new WeakMap<ResourceType, KubeObject>();

/** An object of the kind before any field is set, for kinds with fields that are always present. */
function baseOf(type: ResourceType): KubeObject | undefined {
  const base = bases.get(type) ?? type.blank;
  if (base !== undefined) bases.set(type, base);
  return base;
}

const known = new WeakMap<ResourceType, { generation: number; versions: KindVersions }>();

/** All versions of a kind: owners own fields in the version in which they wrote them. */
function versionsOf(types: ResourceTypes, type: ResourceType): KindVersions {
  const before = known.get(type);
  if (before?.generation === types.generation) return before.versions;
  const siblings = types.all.filter(({ storage }) => storage.prefix === type.storage.prefix);
  const byVersion = new Map<string, FieldType>();
  for (const each of siblings) byVersion.set(apiVersionOf(each), objectType(each.schema));
  const versions: KindVersions = {
    types: byVersion,
    ...(siblings.some(({ storage }) => storage.conversion) && {
      convert: (object: JsonObject, apiVersion: string) => converted(siblings, object, apiVersion),
    }),
  };
  known.set(type, { generation: types.generation, versions });
  return versions;
}

/** An object in another version, by way of that in which it is stored. */
function converted(siblings: readonly ResourceType[], object: JsonObject, apiVersion: string): JsonObject {
  const source = siblings.find((each) => apiVersionOf(each) === object["apiVersion"]);
  const target = siblings.find((each) => apiVersionOf(each) === apiVersion);
  if (target === undefined || target === source) return object;
  const draft = copyOf(object) as unknown as Draft;
  draft.metadata ??= {};
  const stored = source?.storage.conversion?.toStorage(draft) ?? draft;
  const shown = target.storage.conversion?.fromStorage(stored) ?? stored;
  return { ...shown, apiVersion, kind: target.kind };
}
