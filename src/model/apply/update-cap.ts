import { compareTimes, type FieldOwner, type FieldOwners, ownerId } from "./field-owner.js";
import { unionOf } from "./fields/field-set.js";
import { compareUtf8 } from "./fields/canonical-json.js";

/** Limit for separate owners by update. */
const maxUpdaters = 10;

/** Manager that the oldest owners are merged into. */
const bucketManager = "ancient-changes";

/**
 * Limits owners by update to ten: the oldest are merged, version by version. The first of a version is kept
 * until a second of that version joins it.
 */
export function capUpdaters(owners: FieldOwners): FieldOwners {
  if (owners.size <= maxUpdaters) return owners;
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update");
  if (updaters.length <= maxUpdaters) return owners;
  updaters.sort(([leftId, left], [rightId, right]) => {
    return compareTimes(left.time, right.time) || compareUtf8(leftId, rightId);
  });
  const capped = new Map(owners);
  const together = new Map<string, FieldOwner[]>();
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [id, owner] of updaters) {
    if (count <= maxUpdaters) break;
    const { apiVersion } = owner;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, id);
      continue;
    }
    let joined = together.get(apiVersion);
    if (joined === undefined) together.set(apiVersion, (joined = takeFirst(capped, first, apiVersion)));
    joined.push(owner);
    capped.delete(id);
    count--;
  }
  for (const [apiVersion, joined] of together) {
    const bucket = bucketOf(apiVersion);
    // Time of the owner that was added last, which is the latest.
    const time = joined.at(-1)?.time;
    capped.set(ownerId(bucket), { ...bucket, time, fields: unionOf(joined.map(({ fields }) => fields)) });
  }
  return capped;
}

function bucketOf(apiVersion: string) {
  return { manager: bucketManager, operation: "Update", apiVersion, subresource: "" } as const;
}

/** First member of a bucket: the existing bucket, or the first owner of the version. */
function takeFirst(owners: Map<string, FieldOwner>, first: string, apiVersion: string): FieldOwner[] {
  const before = owners.get(ownerId(bucketOf(apiVersion)));
  if (before !== undefined) return [before];
  const owner = owners.get(first);
  owners.delete(first);
  return owner === undefined ? [] : [owner];
}
