import { formatTime, type JsonObject, type KubeObject } from "../../../model/core.js";
import { resetFields, type KindVersions } from "../../../model/apply/kind-versions.js";
import { recordUpdate, type FieldWrite } from "../../../model/apply/record-update.js";
import { objectType, type FieldType } from "../../../model/apply/typed/field-type.js";
import { apiVersionOf, type Draft, type ResourceType } from "../../resources/resource-type.js";
import type { ResourceTypes } from "../../resources/resource-types.js";
import type { RegistryContext } from "../context.js";
import type { ResourceRequest, ServerWriteOptions } from "../requests.js";
import { copyJson } from "./copy-json.js";

type Request = Pick<ResourceRequest<ServerWriteOptions>, "type" | "subresource" | "options">;

/** Records which fields the request's manager changed, by comparing the stored object with the one to be stored. */
export function recordOwnership(
  context: RegistryContext,
  request: Request,
  updated: Draft,
  live: KubeObject | undefined,
): void {
  const { manager, apiVersion, subresource, time, versions, ignored, base } = ownershipWrite(
    context,
    request,
  );
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

/** Manager, time and version of a write, as field ownership records them. */
export function ownershipWrite(
  context: RegistryContext,
  { type, subresource, options }: Request,
): FieldWrite {
  return {
    manager: options.fieldManager ?? "unknown",
    apiVersion: apiVersionOf(type),
    subresource,
    time: formatTime(context.clock.now()),
    versions: versionsOf(context.types, type),
    ignored: resetFields(type.subresources.status === true, subresource),
    base: blankOf(type),
  };
}

const blanks = new WeakMap<ResourceType, KubeObject>();

/** An object of the kind before any field is set, for kinds with fields that are always present. */
function blankOf(type: ResourceType): KubeObject | undefined {
  const blank = blanks.get(type) ?? type.blank;
  if (blank !== undefined) blanks.set(type, blank);
  return blank;
}

const versionsOfTypes = new WeakMap<ResourceType, { generation: number; versions: KindVersions }>();

/** All versions of a kind: a manager owns fields in the version in which it wrote them. */
function versionsOf(types: ResourceTypes, type: ResourceType): KindVersions {
  const before = versionsOfTypes.get(type);
  if (before?.generation === types.generation) return before.versions;
  const siblings = types.all.filter(({ storage }) => storage.prefix === type.storage.prefix);
  const byVersion = new Map<string, FieldType>();
  for (const each of siblings) byVersion.set(apiVersionOf(each), objectType(each.schema));
  const versions: KindVersions = {
    types: byVersion,
    ...(siblings.some(({ storage }) => storage.conversion) && {
      convert: (object: JsonObject, apiVersion: string) => convertVersion(siblings, object, apiVersion),
    }),
  };
  versionsOfTypes.set(type, { generation: types.generation, versions });
  return versions;
}

/** Converts an object to another version by way of the storage version. */
function convertVersion(
  siblings: readonly ResourceType[],
  object: JsonObject,
  apiVersion: string,
): JsonObject {
  const source = siblings.find((each) => apiVersionOf(each) === object["apiVersion"]);
  const target = siblings.find((each) => apiVersionOf(each) === apiVersion);
  if (target === undefined || target === source) return object;
  const draft = copyJson(object) as unknown as Draft;
  draft.metadata ??= {};
  const stored = source?.storage.conversion?.toStorage(draft) ?? draft;
  const converted = target.storage.conversion?.fromStorage(stored) ?? stored;
  return { ...converted, apiVersion, kind: target.kind };
}
