import { describe, expect, test } from "vitest";
import { plainController } from "fettle";
import { ConfigMap, Secret } from "fettle/kubernetes";
import { perturb, type FaultKind, type PerturbOptions, type Scenario } from "fettle/testing";
import { Site } from "./sites.js";

const workload: Scenario<never>["workload"] = async ({ client, settled }) => {
  await client.create(Site, { metadata: { name: "a" }, spec: { title: "A" } });
  await settled();
};

/** A crash between its two parts does harm; everything else is made good. */
const scenario: Scenario<unknown> = {
  controllers: () => [
    plainController({
      for: Site,
      async reconcile({ name, namespace }, { client }) {
        const metadata = { name, namespace };
        if ((await client.find(Site, metadata)) === undefined) return;
        if ((await client.find(ConfigMap, metadata)) !== undefined) return;
        await client.create(ConfigMap, { metadata });
        await client.create(Secret, { metadata });
      },
    }),
  ],
  workload,
};

describe("a schedule that is asked for takes place, or it is told that it does not", () => {
  test.each([
    ["crash@999", "crash@999"],
    ["missed@99", "missed@99"],
    ["stale@1:e99", "stale@1:e99"],
    ["stale@1:w9", "stale@1:w9"],
    ["stale@1:t9", "stale@1:t9"],
    ["error@1+crash@50", "crash@50"],
  ])("%s", async (id, missing) => {
    await expect(perturb(scenario, { only: [id] })).rejects.toThrow(
      `${missing} of "${id}" did not take place: there were`,
    );
  });

  test("a conflict outside of the API", async () => {
    const world = { create: () => ({ ring: async () => {} }), snapshot: () => null };
    const ringing: Scenario<{ ring: () => Promise<void> }> = {
      controllers: (bell) => [plainController({ for: Site, reconcile: () => bell.ring() })],
      world,
      workload,
    };
    await expect(perturb(ringing, { only: ["conflict@1"] })).rejects.toThrow("did not take place");
    expect((await perturb(ringing, { only: ["error@1"] })).failures).toEqual([]);
  });

  test("one that is asked for twice is tried once", async () => {
    const report = await perturb(scenario, { only: ["slow@1", "slow@1"] });
    expect(report.text()).toBe("1 of 1 schedules were tried; all of them end as they should.");
  });
});

test("the answer of a call without a promise can get lost, too", async () => {
  class Counter {
    count = 0;
    add(): void {
      this.count++;
    }
  }
  const report = await perturb(
    {
      controllers: (counter: Counter) => [
        plainController({
          for: Site,
          async reconcile({ name, namespace }, { client }) {
            const metadata = { name, namespace };
            if ((await client.find(ConfigMap, metadata)) !== undefined) return;
            counter.add();
            await client.create(ConfigMap, { metadata });
          },
        }),
      ],
      world: { create: () => new Counter(), snapshot: ({ count }) => count },
      workload,
    },
    { faults: ["lost", "slow"] },
  );
  expect(report.tried).toEqual(["lost@1", "lost@2", "slow@2"]);
  expect(report.failures.map(({ schedule }) => schedule)).toEqual(["lost@1"]);
});

test.each<[string, PerturbOptions]>([
  ['there is no fault "crahs", but crash, down,', { faults: ["crahs" as FaultKind] }],
  ["limit is NaN, and should be a whole number from 1 on", { limit: Number("many") }],
  ["limit is 0", { limit: 0 }],
  ["failures is 0", { failures: 0 }],
  ["depth is 3", { depth: 3 as 2 }],
  ["seed is 0.5", { seed: 0.5 }],
  ["ids look like crash@3", { only: ["crash@0"] }],
])("%s", async (message, options) => {
  await expect(perturb(scenario, options)).rejects.toThrow(message);
});

test("the test that reproduces has what decides the course", async () => {
  const reproduced = async (options: PerturbOptions) =>
    (await perturb(scenario, { ...options, faults: ["crash"] })).failures[0]?.reproduce;
  expect(await reproduced({ seed: 7, settle: "10m" })).toContain(
    'perturb(scenario, { only: ["crash@1"], seed: 7, settle: "10m" });',
  );
  expect(await reproduced({ seed: 1, settle: 60_000 })).toContain(
    'perturb(scenario, { only: ["crash@1"] });',
  );
});

test("pairs are of faults that do no harm alone, and are counted apart", async () => {
  const report = await perturb(scenario, { depth: 2, faults: ["crash", "error", "slow"], limit: 40 });
  const alone = report.failures.filter(({ schedule }) => !schedule.includes("+"));
  expect(alone.map(({ schedule }) => schedule)).toEqual(["crash@1", "error@2"]);
  const pairs = report.tried.filter((schedule) => schedule.includes("+"));
  expect(pairs.length).toBeGreaterThan(0);
  for (const { what, schedule } of report.failures) {
    if (!schedule.includes("+")) continue;
    for (const harm of alone) expect(what).not.toContain(harm.what);
  }
  expect(report.text()).toMatch(
    new RegExp(`^6 of 6 schedules were tried, and ${pairs.length} with two faults; \\d+ end differently`),
  );
});
