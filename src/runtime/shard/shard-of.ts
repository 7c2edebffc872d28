/**
 * Which shard an object is in. It depends on the key alone, so that all processes say the same: an object of the same name
 * that comes later is in the same shard. What it says must stay the same for good, since processes of different versions
 * work side by side.
 */
export function shardOf(key: string, shards: number): number {
  // FNV-1a, and the last step of MurmurHash3 so that names which differ in their last digit are far apart.
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    const code = key.charCodeAt(index);
    hash = Math.imul(hash ^ (code & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (code >>> 8), 0x01000193);
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return (hash >>> 0) % shards;
}
