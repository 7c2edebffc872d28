import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** Pseudo-random numbers from 0 to 1 that a seed repeats (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Damages a folder at a place that is uniform over all bytes of all files; returns what was done. */
export function corrupt(folder: string, random: () => number): string {
  const files = readdirSync(folder).map((name) => ({ name, size: statSync(join(folder, name)).size }));
  const below = (limit: number): number => Math.floor(random() * limit);
  const kind = random();
  if (kind < 0.04) {
    const name = files[below(files.length)]?.name ?? "";
    rmSync(join(folder, name));
    return `${name}: deleted`;
  }
  let offset = below(files.reduce((sum, { size }) => sum + size, 0));
  const chosen = files.find(({ size }) => (offset < size ? true : ((offset -= size), false)));
  if (chosen === undefined) return "nothing";
  const { name, size } = chosen;
  const file = openSync(join(folder, name), "r+");
  try {
    if (kind < 0.14) {
      ftruncateSync(file, offset);
      return `${name}: truncated from ${size} to ${offset}`;
    }
    if (kind < 0.24) {
      const page = Math.floor(offset / 8192) * 8192;
      writeSync(file, Buffer.alloc(Math.min(8192, size - page)), 0, undefined, page);
      return `${name}: zeroed page at ${page}`;
    }
    if (kind < 0.44) {
      const length = Math.min(size - offset, 1 + below(random() < 0.5 ? 16 : 30_000));
      const bytes = Buffer.from(Array.from({ length }, () => below(256)));
      writeSync(file, bytes, 0, length, offset);
      return `${name}: overwrote ${length} bytes at ${offset}`;
    }
    const flips = kind < 0.8 ? 1 : 1 + below(8);
    const byte = Buffer.alloc(1);
    for (let flip = 0; flip < flips; flip++) {
      const at = Math.min(size - 1, offset + flip * below(50));
      readSync(file, byte, 0, 1, at);
      byte[0] = (byte[0] ?? 0) ^ (1 << below(8));
      writeSync(file, byte, 0, 1, at);
    }
    return `${name}: flipped ${flips} bits at ${offset}`;
  } finally {
    closeSync(file);
  }
}
