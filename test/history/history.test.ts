import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWith, smallDisk } from "../components/index.js";
import { checkHistory } from "./check/check-history.js";
import { fillDisk } from "./faults/fill-disk.js";
import { ioErrors } from "./faults/io-errors.js";
import { recordHistory, type RunOptions } from "./run.js";
import { summarize } from "./summarize.js";

/**
 * `npm run history` sets the number of rounds, each with the next seed and more faults. A violation is reported with its
 * seed: `FETTLE_HISTORY_SEED=5` chooses the same requests and faults again. The order in which they arrive still differs.
 */
const { env } = process;
const rounds = Number(env["FETTLE_HISTORY_ROUNDS"] ?? 0);
const firstSeed = Number(env["FETTLE_HISTORY_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const isLong = rounds > 0;
const timeout = 120_000 + rounds * 600_000;

/** Small numbers, so that every run has compaction and indexing. */
const storeOptions = { retention: { count: 60, every: 50 }, indexAfter: 40 };

async function expectConsistent(options: () => Omit<RunOptions, "seed" | "storeOptions">): Promise<void> {
  for (let round = 0; round < Math.max(1, rounds); round++) {
    const seed = firstSeed + round;
    try {
      const history = await recordHistory({ seed, storeOptions, ...options() });
      console.log(`  seed ${seed}: ${summarize(history)}`);
      expect(checkHistory(history)).toEqual([]);
    } catch (error) {
      console.error(`failed with FETTLE_HISTORY_SEED=${seed}`);
      throw error;
    }
  }
}

test(
  "what clients see of a server that is killed again and again is one consistent history",
  () =>
    expectConsistent(() => ({
      async disturb(run) {
        for (let kill = 0; kill < (isLong ? 20 : 3); kill++) {
          await run.recording.acknowledges(1 + run.choices.below(isLong ? 400 : 150));
          await run.restart();
        }
      },
    })),
  timeout,
);

describeWith("a disk that is full now and then", smallDisk(64), (disk) => {
  test(
    "refuses writes and loses none",
    () =>
      expectConsistent(() => ({
        folder: disk().path,
        async disturb(run) {
          const ballast = join(disk().path, "ballast");
          const kinds = isLong ? [false, true, false, true, true, false] : [false, true];
          for (const isRestarted of kinds) {
            await run.recording.acknowledges(1 + run.choices.below(30));
            fillDisk(ballast);
            await run.recording.fails(10);
            // The server starts and serves reads on a full disk.
            if (isRestarted) await run.restart();
            rmSync(ballast);
            await run.recording.acknowledges(20);
          }
        },
      })),
    timeout,
  );
});

describeWith("a disk with errors", ioErrors, (errors) => {
  test(
    "fails writes and loses none",
    () =>
      expectConsistent(() => ({
        folder: errors().folder,
        env: errors().env,
        async disturb(run) {
          const faults = ["write", "torn", "sync", "sync", "sync"] as const;
          for (const fault of isLong ? [...faults, ...faults, ...faults] : faults) {
            await run.recording.acknowledges(1 + run.choices.below(30));
            const isRestarted = fault === "sync" || run.choices.once(2);
            // With a kill in mind every call fails: then the server finds the last write that it could not sync.
            errors().start(fault, isRestarted ? 1 : 1 + run.choices.below(3));
            await run.recording.fails(4);
            // Otherwise the server recovers by itself.
            if (isRestarted) await run.restart("SIGKILL", () => errors().stop());
            errors().stop();
            await run.recording.acknowledges(20);
          }
        },
      })),
    timeout,
  );
});
