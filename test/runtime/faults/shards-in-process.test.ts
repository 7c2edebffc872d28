import { expect, test } from "vitest";
import { schedule } from "../../../src/runtime/schedule/schedule.js";
import {
  startControllers,
  type Controllers,
  type ControllersOptions,
} from "../../../src/runtime/start/start-controllers.js";
import { Onlooker } from "./onlooker.js";
import { startSiteServer, type SiteServer } from "./site-server.js";
import { differences, Site, sitesController, type SiteObject } from "./sites.js";
import { World } from "./world.js";

const sharding = { namespace: "default", name: "sites", shards: 8, retryPeriod: "50ms" } as const;
const names = Array.from({ length: 40 }, (_, index) => `site-${index}`);
const spec = { title: "Hello", pages: 1 };
const expected = new Map<string, SiteObject["spec"]>(names.map((name) => [name, spec]));

const start = (home: SiteServer, who: string, world: World, options: Partial<ControllersOptions> = {}) =>
  startControllers({
    controllers: [sitesController(world, who)],
    client: home.direct,
    sharding: { ...sharding, identity: who },
    observer: world.observer(who),
    ...options,
  });

async function shared(...all: readonly Controllers[]): Promise<void> {
  const owned = (): unknown => all.map(({ sharding }) => sharding?.owned);
  await expect.poll(owned, { timeout: 20_000 }).toEqual(all.map(() => 8 / all.length));
}

test("a process that joins takes its share, and gives it to others when it leaves", async () => {
  await using home = await startSiteServer();
  await using onlooker = await Onlooker.open(home.direct);
  const world = new World();
  await using first = start(home, "first", world);
  await first.ready();
  for (const name of names) await home.direct.create(Site, { metadata: { name }, spec });
  await onlooker.until(() => differences(expected, onlooker.sites, onlooker.pages), world);

  const second = start(home, "second", world);
  await second.ready();
  await shared(first, second);
  const ofSecond = names.filter((name) => second.sharding?.owns(`default/${name}`));
  expect(ofSecond.length).toBeGreaterThan(0);
  await expect
    .poll(async () => new Set((await second.runs.find()).map(({ key }) => key)).size)
    .toBe(ofSecond.length);
  expect((await second.runs.find())[0]?.triggers[0]).toMatchObject({ type: "shard", text: "shard gained" });

  // Commands for objects of another process are rejected with a message.
  const [theirs = ""] = ofSecond;
  expect(() => first.enqueue(Site, theirs)).toThrow("is not owned by this process");
  second.enqueue(Site, theirs, { reason: "somebody asked" });
  expect([first.isLeader, second.isLeader]).toEqual([true, true]);
  const report = await second.health.report("readiness");
  expect(report.checks).toContainEqual(
    expect.objectContaining({ name: "sharding", ok: true, message: "4 of 8 shards, 2 processes" }),
  );
  expect(await second.metrics?.text()).toMatch(/^fettle_shards_owned\{name="sites"\} 4$/m);

  // A deleted object is cleaned up by the process that has its shard.
  const before = world.effects.length;
  await home.direct.delete(Site, theirs);
  await world.until((all) =>
    all.slice(before).some(({ what, phase }) => what === "unpublish" && phase === "end"),
  );
  expect(
    world.effects
      .slice(before)
      .filter(({ what }) => what === "unpublish")
      .map(({ who }) => who),
  ).toEqual(["second", "second"]);

  await second.stop();
  await shared(first);
  expect(world.problems).toEqual([]);
});

test("a run whose shard is handed over ends or is aborted before another starts", async () => {
  await using home = await startSiteServer();
  const world = new World();
  world.takes = () => Infinity;
  const slow = { sharding: { ...sharding, identity: "first", handOver: "300ms" } } as const;
  await using first = start(home, "first", world, { ...slow, grace: "300ms" });
  await first.ready();
  for (const name of names.slice(0, 4)) await home.direct.create(Site, { metadata: { name }, spec });
  await world.until((all) => all.length === 4);
  world.takes = () => 1;
  await using second = start(home, "second", world);
  await shared(first, second);
  await first.stop();
  await world.until((all) => all.filter(({ phase }) => phase === "end").length >= 4);
  expect(world.effects.filter(({ phase, who }) => phase === "cut" && who === "first")).toHaveLength(4);
  expect((await first.runs.find()).map(({ outcome }) => outcome.type)).toContain("cancelled");
  expect(world.problems).toEqual([]);
});

test("a schedule runs in one process, and continues in another when it stops", async () => {
  await using home = await startSiteServer();
  const world = new World();
  const passes: string[] = [];
  const withSchedule = (who: string): Controllers =>
    start(home, who, world, {
      schedules: [
        schedule({
          name: "count",
          every: "20ms",
          async run({ client }) {
            await client.list(Site);
            passes.push(who);
          },
        }),
      ],
    });
  const all = [withSchedule("first"), withSchedule("second")];
  await shared(...all);
  const at = all.find(({ schedules }) => schedules.length > 0);
  await expect.poll(() => passes.length).toBeGreaterThan(3);
  expect(all.flatMap(({ schedules }) => schedules)).toHaveLength(1);
  await at?.stop();
  const other = all.find((each) => each !== at);
  await expect.poll(() => other?.schedules.length).toBe(1);
  const before = passes.length;
  await expect.poll(() => passes.length).toBeGreaterThan(before + 3);
  expect(new Set(passes.slice(before)).size).toBe(1);
  await other?.stop();
});

test("rejects leader election together with sharding", async () => {
  await using home = await startSiteServer();
  const leaderElection = { namespace: "default", name: "sites" };
  expect(() => start(home, "first", new World(), { leaderElection })).toThrow(
    "give leaderElection or sharding",
  );
});
