/**
 * Shard of an object. A function of the key alone, so that all processes agree. It must never change, since processes of different
 * versions work side by side.
 */
export function shardOf(key: string, shards: number): number {
  // FNV-1a, with MurmurHash3's finalizer so that names that differ in their last digit are spread.
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
