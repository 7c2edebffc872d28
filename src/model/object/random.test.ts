import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validateDns1123Label } from "./names.js";
import { generateName, newUid, type Random, systemRandom } from "./random.js";

const anyRandom = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes): Random => ({ bytes: (length) => bytes.slice(0, length) }));

describe("uids", () => {
  test("are version 4 UUIDs for any bytes", () => {
    fc.assert(
      fc.property(anyRandom, (random) => {
        expect(newUid(random)).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
  });

  test("keep all other bits", () => {
    const random: Random = { bytes: (length) => Uint8Array.from({ length }, (_, index) => index * 17) };
    expect(newUid(random)).toBe("00112233-4455-4677-8899-aabbccddeeff");
  });

  test("differ with the system source", () => {
    const uids = new Set(Array.from({ length: 1000 }, () => newUid(systemRandom)));
    expect(uids.size).toBe(1000);
  });
});

describe("generated names", () => {
  test("consist of the base and five safe characters, and fit into a label", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]([-a-z0-9]{0,80}[a-z0-9])?-?$/), anyRandom, (base, random) => {
        const name = generateName(base, random);
        expect(name.slice(0, -5)).toBe(base.slice(0, 58));
        expect(name.slice(-5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        expect(validateDns1123Label(name)).toEqual([]);
      }),
    );
  });

  test("terminate with a source that repeats one byte", () => {
    expect(generateName("a-", { bytes: (length) => new Uint8Array(length).fill(255) })).toHaveLength(7);
  });

  test("use every character about equally often", () => {
    const counts = new Map<string, number>();
    let next = 0;
    // All pairs of bytes once each, so the counts are exact and not a matter of chance.
    const random: Random = {
      bytes: (length) =>
        Uint8Array.from({ length }, (_, index) => {
          const pair = (next + (index >> 1)) % 65_536;
          return index % 2 === 0 ? pair >> 8 : pair & 255;
        }),
    };
    for (; next < 65_536; next += 5) {
      for (const character of generateName("", random)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(27);
    expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThanOrEqual(2);
  });
});
