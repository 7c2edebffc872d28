/** Up to so many keys a Map finds faster. Beyond, it mostly waits for memory, which it asks for four times a key. */
const mostInMap = 32_768;
/** The table has at least twice as many places as keys, and more than the Map ever had. */
const leastPlaces = mostInMap * 4;

/** There is no such key. */
export const none = -1;

/**
 * Finds the slot of a key. What many keys cost is waiting for memory: so a large index is one table of numbers, which is
 * asked once for most keys, has no objects that would have to be collected, and is let go of as a whole.
 *
 * The keys themselves are the caller's: `keys[slot]` is the key of a slot for as long as it is in here.
 */
export class KeyIndex {
  readonly #keys: readonly (string | undefined)[];
  /** Differs from process to process, so that nobody can choose names that all fall onto the same place. */
  readonly #seed = Math.trunc(Math.random() * 0x7fffffff);
  #map: Map<string, number> | undefined = new Map();
  /** Places of two numbers: a slot, counted from 1 as 0 is for nothing, and the hash of its key. */
  #table = new Int32Array();
  #mask = 0;
  #size = 0;
  /** What was looked for last and not found: mostly it is added next. */
  #missed: string | undefined;
  #missedHash = 0;

  constructor(keys: readonly (string | undefined)[]) {
    this.#keys = keys;
  }

  /** The slot of a key, or {@link none}. */
  find(key: string): number {
    return this.#map === undefined ? this.#findInTable(key) : (this.#map.get(key) ?? none);
  }

  /** Adds a key that is not there. */
  add(key: string, slot: number): void {
    if (this.#map !== undefined) {
      this.#map.set(key, slot);
      if (this.#map.size > mostInMap) this.#becomeTable(this.#map);
      return;
    }
    // What is added was looked for.
    this.#put(key === this.#missed ? this.#missedHash : this.#hash(key), slot);
  }

  /** Forgets a key that is there. */
  delete(key: string): void {
    if (this.#map !== undefined) {
      this.#map.delete(key);
      return;
    }
    const hash = this.#hash(key);
    let hole = hash & this.#mask;
    while (this.#hashAt(hole) !== hash || this.#keys[this.#slotAt(hole)] !== key) {
      if (this.#slotAt(hole) === none) return;
      hole = (hole + 1) & this.#mask;
    }
    this.#size -= 1;
    this.#close(hole);
  }

  #findInTable(key: string): number {
    const hash = this.#hash(key);
    const table = this.#table;
    const mask = this.#mask;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const slot = (table[place * 2] as number) - 1;
      if (slot === none) break;
      if (table[place * 2 + 1] === hash && this.#keys[slot] === key) return slot;
    }
    this.#missed = key;
    this.#missedHash = hash;
    return none;
  }

  #becomeTable(map: ReadonlyMap<string, number>): void {
    this.#map = undefined;
    this.#table = new Int32Array(leastPlaces * 2);
    this.#mask = leastPlaces - 1;
    for (const [key, slot] of map) this.#put(this.#hash(key), slot);
  }

  /** Makes the table larger; by so much at a time that what is moved again and again is little. */
  #grow(): void {
    const before = this.#table;
    const places = (this.#mask + 1) * 4;
    this.#table = new Int32Array(places * 2);
    this.#mask = places - 1;
    this.#size = 0;
    for (let at = 0; at < before.length; at += 2) {
      const slot = (before[at] as number) - 1;
      if (slot !== none) this.#put(before[at + 1] as number, slot);
    }
  }

  #put(hash: number, slot: number): void {
    if (this.#size * 2 > this.#mask) this.#grow();
    let place = hash & this.#mask;
    while (this.#slotAt(place) !== none) place = (place + 1) & this.#mask;
    this.#table[place * 2] = slot + 1;
    this.#table[place * 2 + 1] = hash;
    this.#size += 1;
  }

  /** Moves what comes behind a hole into it, unless that would put it before its own place. */
  #close(from: number): void {
    let hole = from;
    for (
      let place = (hole + 1) & this.#mask;
      this.#slotAt(place) !== none;
      place = (place + 1) & this.#mask
    ) {
      const distance = (place - this.#hashAt(place)) & this.#mask;
      if (distance < ((place - hole) & this.#mask)) continue;
      this.#table[hole * 2] = this.#slotAt(place) + 1;
      this.#table[hole * 2 + 1] = this.#hashAt(place);
      hole = place;
    }
    this.#table[hole * 2] = 0;
  }

  #slotAt(place: number): number {
    return (this.#table[place * 2] as number) - 1;
  }

  #hashAt(place: number): number {
    return this.#table[place * 2 + 1] as number;
  }

  #hash(key: string): number {
    let hash = this.#seed;
    for (let at = 0; at < key.length; at++) {
      hash = Math.imul(hash ^ key.charCodeAt(at), 0x5bd1e995);
      hash ^= hash >>> 15;
    }
    return hash ^ (hash >>> 13);
  }
}
