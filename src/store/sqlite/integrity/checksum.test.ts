import { expect, test } from "vitest";
import { chainSum, crc32, mutationSum, packSums, sumOf, tableCrc32, unpackSums } from "./checksum.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const row = { id: 5 * 1024, key: "/lamps/hall", created: 3, expires: undefined, value: bytes("on") };

test("CRC-32 has the standard value, with and without the native function", () => {
  expect(crc32(bytes("123456789")) >>> 0).toBe(0xcbf43926);
  expect(tableCrc32(bytes("123456789")) >>> 0).toBe(0xcbf43926);
  expect(crc32(bytes("6789"), crc32(bytes("12345")))).toBe(tableCrc32(bytes("123456789")));
});

test("the checksum of a mutation covers everything that a read returns", () => {
  const changed = [
    { ...row, id: row.id + 2 ** 40 },
    { ...row, id: row.id + 1 },
    { ...row, key: "/lamps/halk" },
    { ...row, created: 4 },
    { ...row, expires: 0 },
    { ...row, value: bytes("of") },
    { ...row, value: bytes("") },
    { ...row, value: undefined },
  ].map(mutationSum);
  expect(changed).not.toContain(mutationSum(row));
  expect(new Set(changed).size).toBe(changed.length);
  expect(mutationSum({ ...row, expires: null })).toBe(mutationSum(row));
});

test("the chain depends on every mutation before and on their order", () => {
  const link = (sum: number) => ({ sum, previous: 0, time: 1_700_000_000_000 });
  const chain = (...sums: number[]): number => sums.reduce((before, sum) => chainSum(before, link(sum)), 0);
  const chains = [chain(1, 2, 3), chain(1, 3, 2), chain(1, 3), chain(2, 3), chain(1, 2, 2, 3)];
  expect(new Set(chains).size).toBe(chains.length);
  expect(chainSum(7, { ...link(1), time: 1 })).not.toBe(chainSum(7, { ...link(1), time: 2 }));
  expect(chainSum(7, { ...link(1), previous: 1 })).not.toBe(chainSum(7, link(1)));
});

test("both checksums of a mutation fit into one integer", () => {
  for (const sum of [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]) {
    for (const chain of [0, 1, 2 ** 21 - 1]) {
      const packed = packSums(sum, chain);
      expect(Number.isSafeInteger(packed)).toBe(true);
      expect(unpackSums(packed)).toEqual({ sum, chain });
      expect(sumOf(packed)).toBe(sum);
    }
  }
});
