import { expect } from "vitest";
import { startControllers } from "../../../src/runtime/start/start-controllers.js";
import { overlapping, unfinished } from "./effects.js";
import type { Fault, Passing } from "./fault-proxy.js";
import { hurried, nextRun, Onlooker } from "./onlooker.js";
import { testWithDice, type Dice } from "./seed.js";
import { startSiteServer } from "./site-server.js";
import { differences, sitesController } from "./sites.js";
import { Workload } from "./workload.js";
import { World } from "./world.js";

/** Number of interrupted watches; each interruption in a row makes the next reconnection slower. */
const cuts = 12;

/** Network on which about every fourth request fails in some way, and no watch lasts long. */
function badNetwork(dice: Dice): (request: Passing) => Fault | undefined {
  let watches = 0;
  return ({ isWatch, isWrite }) => {
    if (isWatch) {
      if (++watches > cuts) return undefined;
      if (dice.chance(0.1)) return { type: "refuse", code: 503, reason: "ServiceUnavailable" };
      return { type: "cut", after: 1 + dice.below(dice.pick([3000, 15_000])), politely: dice.chance(0.3) };
    }
    if (!dice.chance(0.25)) return undefined;
    return dice.pick<Fault>([
      { type: "drop" },
      { type: "lose" },
      { type: "cut", after: dice.below(200), politely: false },
      { type: "refuse", code: 500, reason: "InternalError" },
      { type: "refuse", code: 503, reason: "ServiceUnavailable" },
      { type: "refuse", code: 429, reason: "TooManyRequests" },
      { type: "delay", milliseconds: dice.below(50) },
      ...(isWrite ? ([{ type: "refuse", code: 409, reason: "Conflict" }] as const) : []),
    ]);
  };
}

testWithDice("converges although watches are interrupted and requests fail in every way", async (dice) => {
  await using home = await startSiteServer();
  const { proxy, direct } = home;
  await using onlooker = await Onlooker.open(direct);
  const world = new World();
  world.takes = () => dice.below(4);
  proxy.plan = badNetwork(dice);
  await using controllers = startControllers({
    controllers: [sitesController(world)],
    client: home.client({ retries: { firstDelay: 10 } }),
    clock: hurried,
    observer: world.observer("the controller"),
  });
  const workload = new Workload(direct, dice);
  await controllers.ready();
  // Each write waits for a run, so that writes and runs alternate.
  for (let turn = 0; turn < 40; turn++) {
    await workload.turn();
    if (dice.chance(0.3)) await nextRun(controllers);
  }
  const converged = (): Promise<void> =>
    onlooker.until(
      () => [
        ...differences(workload.expected, onlooker.sites, onlooker.pages),
        ...unfinished(world.effects, onlooker.sites),
      ],
      world,
    );
  await converged();
  // With many changes, a missed one is repaired by the next. So finally make single changes.
  for (let round = 0; round < 4; round++) {
    proxy.cutWatches();
    await workload.create("lonely");
    await converged();
  }
  expect(proxy.requests.filter(({ isWatch }) => isWatch).length).toBeGreaterThan(2);
  expect(world.problems).toEqual([]);
  expect(overlapping(world.effects)).toEqual([]);
});
