import { expect, test, vi } from "vitest";
import { startControllers } from "../../../src/runtime/start/start-controllers.js";
import { unfinished } from "./effects.js";
import { hurried, Onlooker } from "./onlooker.js";
import { startSiteServer } from "./site-server.js";
import { differences, Site, sitesController } from "./sites.js";
import { World } from "./world.js";

vi.setConfig({ testTimeout: 60_000 });

const spec = { title: "Hello", pages: 2 };
const named = (name: string, pages = spec.pages) => new Map([[name, { ...spec, pages }]]);

test("a name is reused before the last run for the previous object has ended", async () => {
  await using home = await startSiteServer();
  const { proxy, direct } = home;
  await using onlooker = await Onlooker.open(direct);
  const world = new World();
  await using controllers = startControllers({
    controllers: [sitesController(world)],
    client: home.client(),
    clock: hurried,
    observer: world.observer("the controller"),
  });
  await controllers.ready();
  // Without pages, whose deletion would trigger another run.
  await direct.create(Site, { metadata: { name: "phoenix" }, spec: { ...spec, pages: 0 } });
  await onlooker.until(() => differences(named("phoenix", 0), onlooker.sites, onlooker.pages));
  await controllers.idle();

  // The response to the write that removes the finalizer is delayed: the watch reports the next object before it.
  let release: () => void = () => {};
  const until = new Promise<void>((resolve) => (release = resolve));
  proxy.plan = ({ isWrite, path }) =>
    isWrite && path.endsWith("/sites/phoenix") ? { type: "hold", until } : undefined;
  await direct.delete(Site, "phoenix");
  await onlooker.until(() => onlooker.sites.map(({ metadata }) => `${metadata.name} is still there`));
  const successor = await direct.create(Site, { metadata: { name: "phoenix" }, spec: { ...spec, pages: 1 } });
  using seen = await controllers.informers.open(Site);
  await new Promise<void>((resolve) => {
    seen.subscribe(({ object }) => {
      if (object.metadata.uid === successor.metadata.uid) resolve();
    });
  });
  proxy.plan = () => undefined;
  release();
  await onlooker.until(
    () => [
      ...differences(named("phoenix", 1), onlooker.sites, onlooker.pages),
      ...unfinished(world.effects, onlooker.sites),
    ],
    world,
  );
  expect(world.problems).toEqual([]);
});

test("an object that is deleted before it gets its finalizer, and kept by another's, is left alone", async () => {
  await using home = await startSiteServer();
  const { proxy, direct } = home;
  const world = new World();
  await using controllers = startControllers({
    controllers: [sitesController(world)],
    client: home.client(),
    clock: hurried,
    observer: world.observer("the controller"),
  });
  await controllers.ready();
  let isDeleted = false;
  proxy.plan = async ({ isWrite, path }) => {
    if (!isWrite || !path.endsWith("/sites/brief") || isDeleted) return undefined;
    isDeleted = true;
    await direct.delete(Site, "brief");
    return undefined;
  };
  const metadata = { name: "brief", finalizers: ["other.dev/archive"] };
  const outcome = new Promise<string>((resolve) => {
    controllers.runs.follow((run) => resolve(run.outcome.type));
  });
  await direct.create(Site, { metadata, spec });
  expect(await outcome).toBe("gone");
  await direct.patch(Site, "brief", { metadata: { finalizers: [] } });
  await controllers.idle();
  expect(isDeleted).toBe(true);
  // Nobody would remove the finalizer again.
  expect(world.effects).toEqual([]);
});

test("runs that are active when the process is stopped end normally", async () => {
  await using home = await startSiteServer();
  const { direct } = home;
  await using onlooker = await Onlooker.open(direct);
  const world = new World();
  const controllers = startControllers({
    controllers: [sitesController(world)],
    client: home.client(),
    observer: world.observer("the controller"),
  });
  await controllers.ready();
  await direct.create(Site, { metadata: { name: "last" }, spec });
  await onlooker.until(() => differences(named("last"), onlooker.sites, onlooker.pages));
  await controllers.idle();
  world.takes = () => 200;
  const before = world.effects.length;
  await direct.patch(Site, "last", { spec: { pages: 1 } });
  await world.until((effects) => effects.length > before);
  await controllers.stop();
  await onlooker.until(() => differences(named("last", 1), onlooker.sites, onlooker.pages));
  expect(unfinished(world.effects, onlooker.sites)).toEqual([]);
});
