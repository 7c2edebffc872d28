import { test } from "vitest";

/** Random source with a seed: the same seed gives the same numbers. */
export interface Dice {
  readonly seed: number;
  /** Integer from 0 up to, but not including, the limit. */
  below(this: void, limit: number): number;
  chance(this: void, probability: number): boolean;
  pick<T>(this: void, items: readonly T[]): T;
}

function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  // An additive generator with a good mixer (splitmix32): short, and the same everywhere.
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    seed,
    below,
    chance: (probability) => next() < probability,
    pick(items) {
      if (items.length === 0) throw new RangeError("there is nothing to pick from");
      return items[below(items.length)] as (typeof items)[number];
    },
  };
}

/** Test with random choices: a failure prints its seed, and `FETTLE_SEED` repeats it. */
export function testWithDice(name: string, body: (dice: Dice) => Promise<void>, timeout = 60_000): void {
  test(
    name,
    async () => {
      const given = process.env["FETTLE_SEED"];
      const seed = given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
      try {
        await body(diceOf(seed));
      } catch (error) {
        console.error(`"${name}" failed with FETTLE_SEED=${seed}`);
        throw error;
      }
    },
    timeout,
  );
}
