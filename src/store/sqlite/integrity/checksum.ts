import * as zlib from "node:zlib";

/** Checksum that a deleted mutation has in place of its value's. */
const tombstone = 0x0dead0;

/** Odd, so that multiplying by it loses nothing: two different inputs of one step never give the same output. */
const factor = 0x01000193;

/** CRC-32 of bytes, as a signed number: SQLite stores it in four bytes. */
export const crc32: (bytes: Uint8Array, before?: number) => number = hasNativeCrc32(zlib)
  ? (bytes, before = 0) => zlib.crc32(bytes, before >>> 0) | 0
  : tableCrc32;

// Node has it since 20.15.
function hasNativeCrc32(module: { crc32?: unknown }): boolean {
  return typeof module.crc32 === "function";
}

let table: Int32Array | undefined;

/** CRC-32 in JavaScript; exported for its test. */
export function tableCrc32(bytes: Uint8Array, before = 0): number {
  table ??= Int32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  let crc = ~before;
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc;
}

/** What the checksum of a logged mutation covers. */
export interface SummedMutation {
  readonly id: number;
  readonly key: string;
  readonly created: number;
  readonly expires: number | null | undefined;
  /** Null or undefined for a delete. */
  readonly value: Uint8Array | null | undefined;
}

/** Checksum of a logged mutation: of all that a read returns. */
export function mutationSum({ id, key, created, expires, value }: SummedMutation): number {
  let sum = value === null || value === undefined ? tombstone : crc32(value);
  sum = mixNumber(sum, id);
  sum = mixNumber(sum, created);
  sum = mixNumber(sum, expires ?? -1);
  // In JavaScript: to hand a string to native code costs more than this loop.
  for (let at = 0; at < key.length; at++) sum = mix(sum, key.charCodeAt(at));
  return sum;
}

/** What the chain covers of a mutation. */
export interface ChainedMutation {
  readonly sum: number;
  readonly previous: number;
  readonly time: number;
}

/** Checksum of the log up to a mutation, from the one up to the mutation before it: a missing row breaks the chain. */
export function chainSum(before: number, { sum, previous, time }: ChainedMutation): number {
  return mixNumber(mixNumber(mix(before, sum), previous), time) >>> (32 - chainBits);
}

/** Bits of a chain; those of a sum are the other 32 of an integer that JavaScript can have. */
const chainBits = 21;

/** Packs both checksums of a mutation into one number: every column of a row costs time when it is written. */
export function packSums(sum: number, chain: number): number {
  return (sum >>> 0) * 2 ** chainBits + chain;
}

export function unpackSums(packed: number): { readonly sum: number; readonly chain: number } {
  return { sum: sumOf(packed), chain: packed % 2 ** chainBits };
}

/** Checksum of the mutation itself. */
export function sumOf(packed: number): number {
  return Math.floor(packed / 2 ** chainBits) | 0;
}

function mixNumber(sum: number, value: number): number {
  return mix(mix(sum, value | 0), Math.floor(value / 2 ** 32) | 0);
}

function mix(sum: number, value: number): number {
  const product = Math.imul(sum ^ value, factor);
  // Multiplying moves bits up only; rotating brings them down again.
  return (product << 13) | (product >>> 19);
}
