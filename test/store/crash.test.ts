import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { crashRepeatedly } from "./crash.js";

/** `npm run crash` sets how often; a plain test run makes do with a few. */
const rounds = Number(process.env["FETTLE_CRASH_ROUNDS"] ?? 25);

test(
  `a process killed ${rounds} times while writing loses nothing that it acknowledged`,
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
