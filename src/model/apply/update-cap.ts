import { compareTimes, type FieldOwner, type FieldOwners, ownerId } from "./field-owner.js";
import { union } from "./fields/field-set.js";
import { compareTexts } from "./fields/wire-json.js";

/** More owners by update than this are not remembered one by one. */
const mostUpdaters = 10;

/** Who the oldest of them become. */
const ancient = "ancient-changes";

/**
 * The owners with no more than ten of them by update: the oldest are laid together, version by version. The first one of
 * a version stays itself until a second one of that version joins it.
 */
export function capUpdaters(owners: FieldOwners): FieldOwners {
  if (owners.size <= mostUpdaters) return owners;
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update");
  if (updaters.length <= mostUpdaters) return owners;
  updaters.sort(([leftId, left], [rightId, right]) => {
    return compareTimes(left.time, right.time) || compareTexts(leftId, rightId);
  });
  const capped = new Map(owners);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [id, owner] of updaters) {
    if (count <= mostUpdaters) break;
    const { apiVersion } = owner;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, id);
      continue;
    }
    layTogether(capped, first, id, owner);
    count--;
  }
  return capped;
}

function layTogether(owners: Map<string, FieldOwner>, first: string, id: string, owner: FieldOwner): void {
  const bucket = {
    manager: ancient,
    operation: "Update",
    apiVersion: owner.apiVersion,
    subresource: "",
  } as const;
  const bucketId = ownerId(bucket);
  let before = owners.get(bucketId);
  if (before === undefined) {
    before = owners.get(first);
    owners.delete(first);
  }
  const fields = before === undefined ? owner.fields : union(owner.fields, before.fields);
  // The time of the one that is added, since it is the later one.
  owners.set(bucketId, { ...bucket, time: owner.time, fields });
  owners.delete(id);
}
