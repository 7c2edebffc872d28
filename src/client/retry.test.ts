import { describe, expect, test } from "vitest";
import { failures, isConflict, VirtualClock, type Random } from "../model/core.js";
import { retryOnConflict } from "./retry.js";

const sites = { group: "demo.dev", resource: "sites" };
const conflict = (): Error => failures.conflict(sites, "hello", failures.modifiedConflict);

function constant(byte: number): Random {
  return { bytes: (length) => new Uint8Array(length).fill(byte) };
}

describe("retryOnConflict", () => {
  /** Times of the attempts, in milliseconds since the first. */
  async function attemptsAt(random: Random, failing: number, attempts?: number): Promise<number[]> {
    const clock = new VirtualClock(0);
    const times: number[] = [];
    const done = retryOnConflict(
      async (number) => {
        times.push(clock.now());
        if (number <= failing) throw conflict();
      },
      { clock, random, attempts },
    ).catch(() => {});
    await clock.advance(60_000);
    await done;
    return times;
  }

  test("doubles the delay up to a second", async () => {
    const times = await attemptsAt(constant(0), 9);
    expect(times.map((time, index) => time - (times[index - 1] ?? 0))).toEqual([
      0, 5, 10, 20, 40, 80, 160, 320, 500, 500,
    ]);
  });

  test("adds jitter of up to half of the delay", async () => {
    const [, second = 0] = await attemptsAt(constant(255), 1);
    expect(second).toBeGreaterThan(9.9);
    expect(second).toBeLessThan(10);
  });

  test("throws the last conflict when it gives up", async () => {
    expect(await attemptsAt(constant(0), 100)).toHaveLength(10);
    expect(await attemptsAt(constant(0), 100, 3)).toHaveLength(3);
    await expect(retryOnConflict(() => Promise.reject(conflict()), { attempts: 1 })).rejects.toThrow(
      "modified",
    );
  });

  test("does not wait beyond its timeout", async () => {
    const clock = new VirtualClock(0);
    const attempts = async (timeout: number): Promise<number> => {
      let made = 0;
      const trying = retryOnConflict(
        async () => {
          made++;
          throw conflict();
        },
        { clock, random: constant(0), timeout },
      );
      const failed = trying.catch((error: unknown) => isConflict(error));
      await clock.advance(60_000);
      expect(await failed).toBe(true);
      return made;
    };
    expect(await attempts(35)).toBe(3);
    expect(await attempts(0)).toBe(10);
  });

  test("does not retry other errors", async () => {
    let attempts = 0;
    const failing = retryOnConflict(async () => {
      attempts++;
      throw failures.notFound(sites, "hello");
    });
    await expect(failing).rejects.toThrow("not found");
    expect(attempts).toBe(1);
  });

  test("stops waiting when its signal aborts", async () => {
    const stop = new AbortController();
    const waiting = retryOnConflict(
      async () => {
        queueMicrotask(() => stop.abort(new Error("enough")));
        throw conflict();
      },
      { clock: new VirtualClock(0), signal: stop.signal },
    );
    await expect(waiting).rejects.toThrow("enough");
  });
});
