import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { crashRepeatedly } from "./crash.js";

/** Number of kills; `npm run crash` sets a larger one. */
const rounds = Number(process.env["FETTLE_CRASH_ROUNDS"] ?? 25);

test(
  `a store whose process is killed ${rounds} times while writing has every acknowledged commit`,
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "fettle-crash-"));
    try {
      const report = await crashRepeatedly(directory, rounds, Math.random, (round) => {
        if (round % 25 === 0) console.log(`  killed ${round} of ${rounds} times`);
      });
      console.log("  ", report);
      expect(report.acknowledged).toBeGreaterThan(0);
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
  120_000 + rounds * 5000,
);
