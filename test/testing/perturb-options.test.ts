import { describe, expect, test } from "vitest";
import { plainController } from "fettle";
import { ConfigMap, Secret } from "fettle/kubernetes";
import { perturb, type FaultKind, type PerturbOptions, type Scenario } from "fettle/testing";
import { Site } from "./sites.js";

const workload: Scenario<never>["workload"] = async ({ client, settled }) => {
  await client.create(Site, { metadata: { name: "a" }, spec: { title: "A" } });
  await settled();
};

/** A crash between the two parts does harm; all other faults are repaired. */
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

describe("a requested schedule that does not happen is an error", () => {
  test.each([
    ["crash@999", "crash@999"],
    ["missed@99", "missed@99"],
    ["stale@1:e99", "stale@1:e99"],
    ["stale@1:w9", "stale@1:w9"],
    ["stale@1:t9", "stale@1:t9"],
    ["error@1+crash@50", "crash@50"],
  ])("%s", async (id, missing) => {
    await expect(perturb(scenario, { only: [id] })).rejects.toThrow(
      `${missing} of "${id}" did not happen: there were`,
    );
  });

  test("a conflict outside of the API", async () => {
    const world = { create: () => ({ ring: async () => {} }), snapshot: () => null };
    const ringing: Scenario<{ ring: () => Promise<void> }> = {
      controllers: (bell) => [plainController({ for: Site, reconcile: () => bell.ring() })],
      world,
      workload,
    };
    await expect(perturb(ringing, { only: ["conflict@1"] })).rejects.toThrow("did not happen");
    expect((await perturb(ringing, { only: ["error@1"] })).failures).toEqual([]);
  });

  test("a schedule that is requested twice is run once", async () => {
    const report = await perturb(scenario, { only: ["slow@1", "slow@1"] });
    expect(report.text()).toBe("1 of 1 schedules were run; all of them end as without faults.");
  });
});

test("the response of a synchronous call can be lost", async () => {
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
  ['unknown fault "crahs"; the faults are crash, down,', { faults: ["crahs" as FaultKind] }],
  ["limit must be an integer of at least 1, got NaN", { limit: Number("many") }],
  ["limit must be an integer of at least 1, got 0", { limit: 0 }],
  ["failures must be an integer of at least 1, got 0", { failures: 0 }],
  ["depth must be 1 or 2, got 3", { depth: 3 as 2 }],
  ["seed must be an integer, got 0.5", { seed: 0.5 }],
  ["use an id from a report, such as crash@3", { only: ["crash@0"] }],
])("%s", async (message, options) => {
  await expect(perturb(scenario, options)).rejects.toThrow(message);
});

test("the reproducing test has the options that matter", async () => {
  const reproduced = async (options: PerturbOptions) =>
    (await perturb(scenario, { ...options, faults: ["crash"] })).failures[0]?.reproduce;
  expect(await reproduced({ seed: 7, settle: "10m" })).toContain(
    'perturb(scenario, { only: ["crash@1"], seed: 7, settle: "10m" });',
  );
  expect(await reproduced({ seed: 1, settle: 60_000 })).toContain(
    'perturb(scenario, { only: ["crash@1"] });',
  );
});

test("pairs combine faults that do no harm alone, and are counted separately", async () => {
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
    new RegExp(`^6 of 6 schedules were run, and ${pairs.length} with two faults; \\d+ end differently`),
  );
});
