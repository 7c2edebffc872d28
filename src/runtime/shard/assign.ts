/** Owner of each shard, by its number; undefined for a free one. */
export type Owners = readonly (string | undefined)[];

/**
 * Assigns shards to members: shares differ by at most one, every shard has an owner, and as few as possible move. Deterministic
 * for the same owners and members.
 *
 * @example
 * assign(["a", "a", "a", undefined], ["a", "b"]); // ["a", "a", "b", "b"]
 */
export function assign(owners: Owners, members: readonly string[]): readonly string[] {
  if (members.length === 0) throw new RangeError("shards need somebody to be assigned to");
  const held = new Map<string, number>(members.map((member) => [member, 0]));
  for (const owner of owners) {
    const count = owner === undefined ? undefined : held.get(owner);
    if (owner !== undefined && count !== undefined) held.set(owner, count + 1);
  }
  // If shards cannot be divided evenly, the members with most keep one more.
  const ranked = [...held].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([member]) => member);
  const least = Math.floor(owners.length / ranked.length);
  const more = owners.length % ranked.length;
  const room = new Map(ranked.map((member, rank) => [member, least + (rank < more ? 1 : 0)]));

  const kept = owners.map((owner) => {
    const left = owner === undefined ? 0 : (room.get(owner) ?? 0);
    if (owner === undefined || left === 0) return undefined;
    room.set(owner, left - 1);
    return owner;
  });
  const takers = ranked.flatMap((member) => Array.from({ length: room.get(member) ?? 0 }, () => member));
  return kept.map((owner) => owner ?? takers.shift() ?? "");
}
