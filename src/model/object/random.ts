/** Source of randomness; tests pass their own bytes. */
export interface Random {
  bytes(length: number): Uint8Array;
  /** Creates a random (version 4) UUID. Default: built from `bytes`. */
  uid?(): string;
}

/** Pool of random bytes: a call to the operating system takes about 15 µs, however few bytes it returns. */
const pool = new Uint8Array(4096);
let used = pool.length;

/** Random source of the operating system, suitable for secrets: no byte is returned twice. */
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

/** Random number in [0, 1). */
export function fraction(random: Random): number {
  const bytes = random.bytes(6);
  let value = 0;
  for (const byte of bytes) value = value * 256 + byte;
  return value / 2 ** 48;
}

/**
 * Lengthens a delay randomly by up to `factor` times itself, so that clients that started together spread
 * out.
 */
export function jitter(random: Random, milliseconds: number, factor: number): number {
  return milliseconds * (1 + factor * fraction(random));
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Creates a random (version 4) UUID for `metadata.uid`. */
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

/** Without vowels and similar digits, so that no words appear. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxGeneratedNameLength = 63;

/**
 * Generates a name: `base` and five random characters. A long base is truncated, so that the result is a DNS
 * label.
 *
 * @example
 * generateName("page-", systemRandom); // "page-x7k2b"
 */
export function generateName(base: string, random: Random): string {
  let name = base.slice(0, maxGeneratedNameLength - suffixLength);
  // Two bytes per character: the bias of 65536 modulo 27 is 1 in 2427, and unlike rejection sampling this
  // terminates with any source.
  const bytes = random.bytes(suffixLength * 2);
  for (let index = 0; index < bytes.length; index += 2) {
    name += alphabet[((bytes[index] ?? 0) * 256 + (bytes[index + 1] ?? 0)) % alphabet.length];
  }
  return name;
}
