import { expect } from "vitest";
import { startControllers } from "../../../src/runtime/start/start-controllers.js";
import { overlapping, unfinished } from "./effects.js";
import { hurried, Onlooker } from "./onlooker.js";
import { testWithDice } from "./seed.js";
import { startSiteServer } from "./site-server.js";
import { differences, sitesController } from "./sites.js";
import { Workload } from "./workload.js";
import { World } from "./world.js";

const perSecond = 60;
const burst = 20;
/** Number of rejected requests before the server accepts requests again. */
const storm = 16;

testWithDice("requests are repeated only after the Retry-After of an overloaded server", async (dice) => {
  await using home = await startSiteServer();
  const { proxy, direct } = home;
  await using onlooker = await Onlooker.open(direct);
  const world = new World();
  await using controllers = startControllers({
    controllers: [sitesController(world)],
    client: home.client({ rate: { perSecond, burst } }),
    clock: hurried,
    observer: world.observer("the controller"),
  });
  const workload = new Workload(direct, dice);
  await controllers.ready();
  let refused = 0;
  proxy.plan = ({ isWatch }) => {
    if (isWatch || refused >= storm || !dice.chance(0.9)) return undefined;
    refused++;
    return { type: "refuse", code: 429, reason: "TooManyRequests", retryAfter: 1 };
  };
  for (let turn = 0; turn < 40; turn++) {
    await workload.turn();
    if (turn % 10 === 0) proxy.cutWatches();
  }
  await onlooker.until(
    () => [
      ...differences(workload.expected, onlooker.sites, onlooker.pages),
      ...unfinished(world.effects, onlooker.sites),
    ],
    world,
  );
  expect(refused).toBe(storm);
  expect(world.problems).toEqual([]);
  expect(overlapping(world.effects)).toEqual([]);

  const calls = proxy.requests.filter(({ isWatch }) => !isWatch);
  // A rejected request is repeated after its Retry-After, and not before.
  const refusals = new Map<string, number>();
  for (const { method, path, code, at } of calls) {
    const refusedAt = refusals.get(`${method} ${path}`);
    if (refusedAt !== undefined) expect(at - refusedAt, `${method} ${path}`).toBeGreaterThan(990);
    if (code === 429) refusals.set(`${method} ${path}`, at);
    else refusals.delete(`${method} ${path}`);
  }
  // From any request on, at most a full bucket plus what the rate adds meanwhile.
  calls.forEach(({ at }, index) => {
    const later = calls[index + 2 * burst];
    if (later !== undefined) expect(later.at - at).toBeGreaterThan((burst / perSecond) * 1000 * 0.5);
  });
});
