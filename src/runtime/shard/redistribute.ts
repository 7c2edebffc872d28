import { assign } from "./assign.js";
import type { ShardMap } from "./shard-map.js";

/** State on which a member decides about shards. */
export interface Situation {
  readonly me: string;
  /** This member is stopping, and takes no more shards. */
  readonly stopping: boolean;
  /** Members that are alive as far as this one knows, including itself. */
  readonly members: readonly string[];
  /** Whether the owner of a shard can no longer be working on it. */
  isFree(owner: string, shard: number): boolean;
  /** Shards that this member is releasing. */
  readonly draining: ReadonlySet<number>;
  /** Those of them without active runs. */
  readonly drained: ReadonlySet<number>;
}

export interface ShardDecision {
  /** Shards to start releasing: no more runs may start in them. */
  readonly release: ReadonlySet<number>;
  /** The map to write over the one that was read; undefined if nothing changes. */
  readonly map: ShardMap | undefined;
}

/**
 * Decides what one member does: it takes free shards that should be its own, and releases shards that should be another's. It
 * never takes a shard that another member owns. Writing the map requires the version that was read, so of two members that take
 * the same shard one fails and reads again. While members know of different others, shards may wait, but none has two owners.
 */
export function redistribute(map: ShardMap, situation: Situation): ShardDecision {
  const { me, stopping, draining, drained } = situation;
  const members = situation.members.filter((each) => !map.stopping.has(each) && !(stopping && each === me));
  const owners = map.owners.map((owner, shard) => {
    if (owner === undefined || (owner === me && drained.has(shard))) return undefined;
    return owner !== me && situation.isFree(owner, shard) ? undefined : owner;
  });
  const staying = owners.map((owner, shard) => (owner === me && draining.has(shard) ? undefined : owner));
  const target = members.length === 0 ? [] : assign(staying, members);
  const release = new Set<number>();
  for (const [shard, owner] of staying.entries())
    if (owner === me && target[shard] !== me) release.add(shard);

  // A released shard is written as free first, even if it should be this member's again.
  const next = owners.map(
    (owner, shard) => owner ?? (target[shard] === me && !drained.has(shard) ? me : undefined),
  );
  const stillStopping = new Set([...map.stopping].filter((each) => situation.members.includes(each)));
  for (const each of map.stopping) if (next.includes(each)) stillStopping.add(each);
  if (stopping && map.owners.includes(me)) stillStopping.add(me);
  const changed =
    next.some((owner, shard) => owner !== map.owners[shard]) ||
    stillStopping.size !== map.stopping.size ||
    [...stillStopping].some((each) => !map.stopping.has(each));
  return { release, map: changed ? { owners: next, stopping: stillStopping } : undefined };
}
