import { expect } from "vitest";
import { startControllers } from "../../../src/runtime/start/start-controllers.js";
import { overlapping, unfinished } from "./effects.js";
import { hurried, Onlooker } from "./onlooker.js";
import { testWithDice } from "./seed.js";
import { startSiteServer } from "./site-server.js";
import { differences, Page, Site, sitesController } from "./sites.js";
import { Workload } from "./workload.js";
import { World } from "./world.js";

testWithDice("changes during an outage are not missed when the server has compacted them", async (dice) => {
  await using home = await startSiteServer();
  const { proxy, direct, server } = home;
  await using onlooker = await Onlooker.open(direct);
  const world = new World();
  await using controllers = startControllers({
    controllers: [sitesController(world)],
    client: home.client({ retries: { firstDelay: 10 } }),
    clock: hurried,
    observer: world.observer("the controller"),
  });
  const workload = new Workload(direct, dice);
  const wrong = (): string[] => [
    ...differences(workload.expected, onlooker.sites, onlooker.pages),
    ...unfinished(world.effects, onlooker.sites),
  ];
  const uids = async (): Promise<Map<string, string>> =>
    new Map((await direct.list(Site)).items.map(({ metadata }) => [metadata.name ?? "", metadata.uid ?? ""]));
  await controllers.ready();

  for (let gap = 0; gap < 2; gap++) {
    for (let turn = 0; turn < 5; turn++) await workload.turn();
    const full = { title: `before gap ${gap}`, pages: 2 };
    for (const name of ["deleted", "torn", "swapped", "changed", "robbed"]) await workload.create(name, full);
    await onlooker.until(wrong, world);
    await controllers.idle();
    const before = await uids();
    const lists = controllers.informers.states().map((state) => state.lists);

    proxy.cutOff(dice.pick(["silent", "reset"]));
    for (let turn = 0; turn < 10; turn++) await workload.turn();
    // One site with cleanup; one whose finalizer was removed by force; and one recreated under the same name.
    for (const name of ["deleted", "torn", "swapped"]) await workload.delete(name);
    const torn = new Set([before.get("torn"), before.get("swapped")]);
    for (const name of ["torn", "swapped"]) {
      await direct.patch(Site, name, { metadata: { finalizers: [] } });
    }
    await workload.create("swapped", full);
    await workload.change("changed");
    await direct.delete(Page, "robbed-1");
    await server.store.compact((await server.store.status()).revision);
    proxy.reconnect();

    // The site without finalizer was never cleaned up, and cannot be any more.
    const left = (): string[] =>
      unfinished(
        world.effects.filter(({ uid }) => !torn.has(uid)),
        onlooker.sites,
      );
    await onlooker.until(
      () => [...differences(workload.expected, onlooker.sites, onlooker.pages), ...left()],
      world,
    );
    world.effects.splice(0, Infinity, ...world.effects.filter(({ uid }) => !torn.has(uid)));
    expect(
      world.effects.filter(({ uid, what }) => uid === before.get("deleted") && what === "unpublish"),
    ).not.toEqual([]);
    const after = await uids();
    expect(after.get("swapped")).not.toBe(before.get("swapped"));
    // The changes were found by a list, not by the old watch.
    controllers.informers.states().forEach((state, index) => {
      expect(state.lists).toBeGreaterThan(lists[index] ?? 0);
    });
  }
  expect(world.problems).toEqual([]);
  expect(overlapping(world.effects)).toEqual([]);
});
