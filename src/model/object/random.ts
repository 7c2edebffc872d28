/** Where chance comes from, so that a test can hand in bytes of its own. */
export interface Random {
  bytes(length: number): Uint8Array;
  /** A random (version 4) UUID; made of `bytes` by those who cannot do it in a cheaper way. */
  uid?(): string;
}

/** Asking the machine costs much more than what it takes to give a few bytes, so they are taken from a supply. */
const pool = new Uint8Array(4096);
let used = pool.length;

/** The machine's own source, good enough for secrets: no byte is given out twice. */
export const systemRandom: Random = {
  bytes(length) {
    if (length > pool.length / 8) return globalThis.crypto.getRandomValues(new Uint8Array(length));
    if (used + length > pool.length) {
      globalThis.crypto.getRandomValues(pool);
      used = 0;
    }
    const bytes = pool.slice(used, used + length);
    pool.fill(0, used, used + length);
    used += length;
    return bytes;
  },
  uid: () => globalThis.crypto.randomUUID(),
};

/** A number from 0 up to, but not, 1. */
export function fraction(random: Random): number {
  const bytes = random.bytes(6);
  let value = 0;
  for (const byte of bytes) value = value * 256 + byte;
  return value / 2 ** 48;
}

/**
 * A wait that is longer by chance, by up to `factor` times itself, so that those who began together do not go on together.
 */
export function jitter(random: Random, milliseconds: number, factor: number): number {
  return milliseconds * (1 + factor * fraction(random));
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** A random (version 4) UUID, as objects get for their `uid`. */
export function newUid(random: Random): string {
  if (random.uid !== undefined) return random.uid();
  let uid = "";
  const bytes = random.bytes(16);
  for (let index = 0; index < 16; index++) {
    let byte = bytes[index] ?? 0;
    if (index === 6) byte = (byte & 0x0f) | 0x40;
    if (index === 8) byte = (byte & 0x3f) | 0x80;
    if (index === 4 || index === 6 || index === 8 || index === 10) uid += "-";
    uid += hex[byte];
  }
  return uid;
}

/** No vowels and nothing that looks like one, so that no words appear. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxGeneratedNameLength = 63;

/**
 * A name that starts with `base` and ends in five random characters. A long base is cut, so that the result
 * stays a DNS label.
 *
 * @example
 * generateName("page-", systemRandom); // "page-x7k2b"
 */
export function generateName(base: string, random: Random): string {
  let name = base.slice(0, maxGeneratedNameLength - suffixLength);
  // Two bytes a character: the remainder of 65536 by 27 favours some characters by 1 in 2427, and unlike
  // throwing values away this ends whatever the source gives.
  const bytes = random.bytes(suffixLength * 2);
  for (let index = 0; index < bytes.length; index += 2) {
    name += alphabet[((bytes[index] ?? 0) * 256 + (bytes[index + 1] ?? 0)) % alphabet.length];
  }
  return name;
}
