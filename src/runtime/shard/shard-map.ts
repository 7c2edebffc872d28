import type { Lease } from "../lease/lease.js";
import type { Owners } from "./assign.js";

/** Annotation with the owners of the shards. */
export const shardsAnnotation = "fettle.dev/shards";

/** Owners of the shards, as all members share them. Members are identified by the names of their Leases. */
export interface ShardMap {
  readonly owners: Owners;
  /** Members that are stopping, and take no more shards. */
  readonly stopping: ReadonlySet<string>;
}

export function emptyMap(shards: number): ShardMap {
  return { owners: Array.from({ length: shards }, () => undefined), stopping: new Set() };
}

/**
 * Reads the map from a Lease: `{"shards":8,"owners":{"sites-x":"0-2,6","sites-y":"3-5"}}`, where shard 7 is free. Throws if it is
 * malformed, since a guess could give a shard two owners.
 */
export function readMap(lease: Lease): ShardMap {
  const text = lease.metadata.annotations?.[shardsAnnotation] ?? "";
  try {
    const { shards, owners, stopping = [] } = JSON.parse(text) as Written;
    const read: (string | undefined)[] = [...emptyMap(shards).owners];
    for (const [owner, ranges] of Object.entries(owners)) {
      for (const shard of numbersIn(ranges)) {
        if (!(shard < shards) || read[shard] !== undefined)
          throw new RangeError(`shard ${shard} of ${owner}`);
        read[shard] = owner;
      }
    }
    return { owners: read, stopping: new Set(stopping) };
  } catch (error) {
    const { namespace = "", name = "" } = lease.metadata;
    throw new Error(
      `the annotation ${shardsAnnotation} of the Lease ${namespace}/${name} cannot be read, so nobody knows whose the shards are: delete the Lease, and they are divided anew`,
      { cause: error },
    );
  }
}

export function writeMap({ owners, stopping }: ShardMap): string {
  const shards = new Map<string, number[]>();
  for (const [shard, owner] of owners.entries()) {
    if (owner === undefined) continue;
    const numbers = shards.get(owner);
    if (numbers === undefined) shards.set(owner, [shard]);
    else numbers.push(shard);
  }
  const sorted = [...shards].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const written: Written = {
    shards: owners.length,
    owners: Object.fromEntries(sorted.map(([owner, numbers]) => [owner, rangesOf(numbers)])),
    ...(stopping.size > 0 && { stopping: [...stopping].toSorted() }),
  };
  return JSON.stringify(written);
}

/** Shards as ranges: `0-2,6`. */
export function rangesOf(numbers: Iterable<number>): string {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join();
}

interface Written {
  readonly shards: number;
  readonly owners: Readonly<Record<string, string>>;
  readonly stopping?: readonly string[];
}

function* numbersIn(ranges: string): Iterable<number> {
  for (const range of ranges.split(",")) {
    const [first = NaN, last = first] = range.split("-").map(Number);
    if (!(Number.isInteger(first) && Number.isInteger(last) && first >= 0)) throw new RangeError(range);
    for (let number = first; number <= last; number++) yield number;
  }
}
