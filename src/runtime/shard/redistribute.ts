import { assign } from "./assign.js";
import type { ShardMap } from "./shard-map.js";

/** What a member knows when it decides about shards. */
export interface Situation {
  readonly me: string;
  /** This member is about to end, and takes no more. */
  readonly stopping: boolean;
  /** Members that are at work as far as this one knows; with itself. */
  readonly members: readonly string[];
  /** Whether whoever has a shard cannot be at work on it any more. */
  isFree(owner: string, shard: number): boolean;
  /** Shards of this member that it gives up. */
  readonly leaving: ReadonlySet<number>;
  /** Those of them in which nothing is under way any more. */
  readonly drained: ReadonlySet<number>;
}

export interface Decision {
  /** Shards to give up. Nothing of them may be begun; when nothing of them is under way, they are drained. */
  readonly leave: ReadonlySet<number>;
  /** The map to write over the one that was seen; undefined when there is nothing to write. */
  readonly map: ShardMap | undefined;
}

/**
 * What one member does about the shards: it takes what is nobody's and should be its own, and gives up what should be
 * another's. It never takes what another has. Writing the map needs the version that was seen, so of two who take the same
 * shard one fails and looks again; that members know of different others, as they do for a while, makes shards wait but
 * never gives one to two.
 */
export function redistribute(map: ShardMap, situation: Situation): Decision {
  const { me, stopping, leaving, drained } = situation;
  const members = situation.members.filter((each) => !map.leaving.has(each) && !(stopping && each === me));
  const owners = map.owners.map((owner, shard) => {
    if (owner === undefined || (owner === me && drained.has(shard))) return undefined;
    return owner !== me && situation.isFree(owner, shard) ? undefined : owner;
  });
  const staying = owners.map((owner, shard) => (owner === me && leaving.has(shard) ? undefined : owner));
  const target = members.length === 0 ? [] : assign(staying, members);
  const leave = new Set<number>();
  for (const [shard, owner] of staying.entries()) if (owner === me && target[shard] !== me) leave.add(shard);

  // What is given up is written as nobody's first, also when it should be this member's again by now.
  const next = owners.map(
    (owner, shard) => owner ?? (target[shard] === me && !drained.has(shard) ? me : undefined),
  );
  const stillLeaving = new Set([...map.leaving].filter((each) => situation.members.includes(each)));
  for (const each of map.leaving) if (next.includes(each)) stillLeaving.add(each);
  if (stopping && map.owners.includes(me)) stillLeaving.add(me);
  const changed =
    next.some((owner, shard) => owner !== map.owners[shard]) ||
    stillLeaving.size !== map.leaving.size ||
    [...stillLeaving].some((each) => !map.leaving.has(each));
  return { leave, map: changed ? { owners: next, leaving: stillLeaving } : undefined };
}
