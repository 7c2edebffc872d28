import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { corrupt, randomOf } from "./corruption/corrupt.js";
import { outcomeOf, salvageOf } from "./corruption/outcome.js";
import { copyFolder, makeSpecimens, type Specimen } from "./corruption/specimens.js";

/** Number of corruptions; `npm run corrupt` sets a larger one. */
const rounds = Number(process.env["FETTLE_CORRUPTIONS"] ?? 40);

/** Seed of the first corruption, the next one has the next; a failure prints its own. */
const firstSeed = Number(process.env["FETTLE_CORRUPTION_SEED"] ?? Date.now() % 1_000_000_000);

let base: string;
let specimens: Specimen[];
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "fettle-corruption-"));
  specimens = await makeSpecimens(base);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test("the specimens are intact", async () => {
  for (const { folder, contents } of specimens) {
    expect(contents.events.length).toBeGreaterThan(20);
    expect(salvageOf(folder, contents)).toBe(true);
    expect(await outcomeOf(copyFolder(folder, base), contents)).toBe("harmless");
  }
});

test(
  `a store with damaged files refuses to open or to read, or serves what it had (${rounds} times)`,
  async () => {
    console.log(`  seeds ${firstSeed} to ${firstSeed + rounds - 1}`);
    const outcomes: Record<string, number> = {};
    for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
      const random = randomOf(seed);
      const specimen = specimens[Math.floor(random() * specimens.length)];
      if (specimen === undefined) throw new Error("no specimen");
      const folder = copyFolder(specimen.folder, base);
      const damage = [corrupt(folder, random)];
      if (random() < 0.2) damage.push(corrupt(folder, random));
      try {
        const kept = salvageOf(folder, specimen.contents) ? "everything salvaged" : "something lost";
        outcomes[kept] = (outcomes[kept] ?? 0) + 1;
        const outcome = await outcomeOf(folder, specimen.contents);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      } catch (error) {
        throw new Error(
          `FETTLE_CORRUPTION_SEED=${seed} FETTLE_CORRUPTIONS=1, ${specimen.name}: ${damage.join("; ")}`,
          { cause: error },
        );
      }
      rmSync(folder, { recursive: true });
      if ((seed - firstSeed + 1) % 500 === 0) console.log(`  ${seed - firstSeed + 1} of ${rounds}`, outcomes);
    }
    console.log("  ", outcomes);
    expect(outcomes["refused to open"]).toBeGreaterThan(0);
  },
  120_000 + rounds * 2000,
);
