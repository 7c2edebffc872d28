import { expect, test } from "vitest";
import { systemClock, type Clock } from "../../../src/model/core.js";
import { controller } from "../../../src/runtime/controller/controller.js";
import {
  startControllers,
  type Controllers,
  type ControllersOptions,
} from "../../../src/runtime/start/start-controllers.js";
import { HandOver } from "../../../src/runtime/reconcile/steps/steps.js";
import { ControllerProcess, EffectsFile } from "./controller-process.js";
import { overlapping, unfinished, type Effect } from "./effects.js";
import { FaultProxy } from "./fault-proxy.js";
import { Onlooker } from "./onlooker.js";
import { overlaps } from "./overlaps.js";
import { startSiteServer, type SiteServer } from "./site-server.js";
import { differences, Site, sitesController, type SiteObject } from "./sites.js";
import { World } from "./world.js";

/** Between the stop of one leader and the start of the next there is a second of slack for slow machines. */
const election = {
  namespace: "default",
  name: "sites",
  leaseDuration: "2s",
  renewDeadline: "1s",
  retryPeriod: "200ms",
} as const;

/** Clock with short waits, so that runs that ignore their signal are soon abandoned. */
const impatient: Clock = {
  now: () => systemClock.now(),
  after: (milliseconds, callback) => systemClock.after(milliseconds === 5000 ? 100 : milliseconds, callback),
};

const names = ["one", "two", "three"];
const spec = { title: "Hello", pages: 2 };
const expected = new Map<string, SiteObject["spec"]>(names.map((name) => [name, spec]));

async function createAll({ direct }: SiteServer): Promise<void> {
  for (const name of names) await direct.create(Site, { metadata: { name }, spec });
}

const startedBy =
  (who: string) =>
  (effects: readonly Effect[]): boolean =>
    names.every((name) => effects.some((each) => each.who === who && each.name === name));

/** Candidates for one lease, each with a network of its own. */
class Candidates implements AsyncDisposable {
  readonly #home: SiteServer;
  readonly #all = new Map<string, { readonly controllers: Controllers; readonly proxy: FaultProxy }>();

  constructor(home: SiteServer) {
    this.#home = home;
  }

  async add(
    who: string,
    world: World,
    { clock, controllers = [sitesController(world, who)] }: Partial<ControllersOptions> = {},
  ): Promise<Controllers> {
    const proxy = await FaultProxy.start(this.#home.server.url);
    const running = startControllers({
      controllers,
      clock,
      client: this.#home.client({}, proxy),
      leaderElection: { ...election, identity: who },
      observer: world.observer(who),
      grace: "1s",
    });
    this.#all.set(who, { controllers: running, proxy });
    return running;
  }

  of(who: string): { readonly controllers: Controllers; readonly proxy: FaultProxy } {
    const found = this.#all.get(who);
    if (found === undefined) throw new RangeError(`there is no ${who}`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { controllers, proxy } of this.#all.values()) {
      proxy.reconnect();
      await controllers.stop();
      await proxy[Symbol.asyncDispose]();
    }
  }
}

test.each(["silent", "reset"] as const)(
  "who loses the lease has stopped before another begins: %s",
  { timeout: 60_000 },
  async (how) => {
    await using home = await startSiteServer();
    await using onlooker = await Onlooker.open(home.direct);
    await using candidates = new Candidates(home);
    const world = new World();
    world.mayAct = (who) => candidates.of(who).controllers.isLeader;
    world.takes = () => Infinity;
    await (await candidates.add("first", world)).ready();
    const second = await candidates.add("second", world);
    await createAll(home);
    await world.until(startedBy("first"));
    expect(second.isLeader).toBe(false);

    candidates.of("first").proxy.cutOff(how);
    await world.until((effects) => effects.filter(({ phase }) => phase === "cut").length === names.length);
    expect(candidates.of("first").controllers.isLeader).toBe(false);
    // The first one still holds the lease: no other could have taken it.
    const lease = await home.direct.get("coordination.k8s.io/v1/Lease", "sites");
    expect(lease["spec"]).toMatchObject({ holderIdentity: "first" });
    world.takes = () => 1;
    await second.ready();
    await onlooker.until(() => differences(expected, onlooker.sites, onlooker.pages), world);

    candidates.of("first").proxy.reconnect();
    // Restore the network without closing connections.
    await second.stop();
    for (const name of names) await home.direct.patch(Site, name, { spec: { pages: 1 } });
    const changed = new Map(names.map((name) => [name, { ...spec, pages: 1 }]));
    await onlooker.until(() => differences(changed, onlooker.sites, onlooker.pages), world);
    expect(unfinished(world.effects, onlooker.sites)).toEqual([]);
    expect(world.effects.at(-1)?.who).toBe("first");
    expect(overlapping(world.effects)).toEqual([]);
    expect(world.problems).toEqual([]);
  },
);

test(
  "a run that ignores its signal can no longer write, and its object is not run again before it has ended",
  { timeout: 60_000 },
  async () => {
    await using home = await startSiteServer();
    await using candidates = new Candidates(home);
    const world = new World();
    let letGo: () => void = () => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    let refused: unknown;
    let runs = 0;
    let began: () => void = () => {};
    const started = new Promise<void>((resolve) => (began = resolve));
    const deaf = controller({
      for: Site,
      reconcile: (site, { client }) =>
        world.alone(site, "deaf", async () => {
          if (++runs > 1) return;
          began();
          await gate;
          const patch = { metadata: { labels: { written: "late" } } };
          refused = await client.patch(Site, site.name, patch).catch((error: unknown) => error);
        }),
    });
    const controllers = await candidates.add("deaf", world, { controllers: [deaf], clock: impatient });
    await controllers.ready();
    await home.direct.create(Site, { metadata: { name: "one" }, spec });
    await started;
    const { proxy } = candidates.of("deaf");
    const lost = once(controllers, (run) => run.outcome.type === "cancelled");
    proxy.cutOff("reset");
    await lost;
    proxy.reconnect();
    // It leads again, has listed everything, and has reconciled another object.
    await home.direct.create(Site, { metadata: { name: "two" }, spec });
    await once(controllers, (run) => run.key === "default/two");
    expect(runs).toBe(2);
    const again = once(controllers, (run) => run.key === "default/one");
    letGo();
    await again;
    expect(runs).toBe(3);
    expect(world.problems).toEqual([]);
    expect(refused).toBeInstanceOf(HandOver);
    expect((await home.direct.get(Site, "one")).metadata.labels).toBeUndefined();
  },
);

function once(
  { runs }: Controllers,
  isIt: (run: Parameters<Parameters<Controllers["runs"]["follow"]>[0]>[0]) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const end = runs.follow((run) => {
      if (!isIt(run)) return;
      end();
      resolve();
    });
  });
}

/** Starts two processes for the same lease, of which the first holds it. Their effects never end. */
async function startTwo(home: SiteServer, effects: EffectsFile) {
  const one = await FaultProxy.start(home.server.url);
  const other = await FaultProxy.start(home.server.url);
  const start = (who: string, { url }: FaultProxy, takes: number): ControllerProcess =>
    new ControllerProcess(
      {
        kubeconfig: effects.kubeconfig(home.server.kubeconfig, url, who),
        who,
        takes,
        leaderElection: { ...election, identity: who },
      },
      effects,
    );
  const first = start("first", one, forever);
  await first.ready;
  const second = start("second", other, forever);
  await createAll(home);
  await effects.until(startedBy("first"));
  return {
    one,
    other,
    first,
    second,
    start,
    async [Symbol.asyncDispose]() {
      for (const each of [first, second, one, other]) await each[Symbol.asyncDispose]();
    },
  };
}

const forever = 10 * 60_000;

test("processes take over from each other", { timeout: 90_000 }, async () => {
  await using home = await startSiteServer();
  await using onlooker = await Onlooker.open(home.direct);
  using effects = new EffectsFile();
  await using two = await startTwo(home, effects);
  const { one, other, first, second, start } = two;

  // The network of the leader fails during its work.
  one.cutOff("silent");
  await second.ready;
  await effects.until(startedBy("second"));
  expect(overlapping(effects.all())).toEqual([]);
  expect(effects.all().filter(({ phase, who }) => who === "first" && phase === "cut")).toHaveLength(3);

  // When its network is back it stands by, and leads when the other is killed.
  one.reconnect();
  const before = effects.all();
  second.kill("SIGKILL");
  await second.exited;
  const killed = [{ who: "second", seen: effects.all().length }];
  await effects.until((all) => startedBy("first")(all.slice(before.length)));
  expect(overlaps(effects.all(), killed)).toEqual([]);
  expect(before.filter(({ who, phase }) => who === "first" && phase === "start")).toHaveLength(3);

  // A process that is stopped gracefully hands over at once.
  await using third = start("third", other, 0);
  first.kill("SIGTERM");
  expect(await first.exited, first.stderr).toEqual({ code: 0, signal: null });
  await third.ready;
  await onlooker.until(() => differences(expected, onlooker.sites, onlooker.pages), effects);
  expect(unfinished(effects.all(), onlooker.sites)).toEqual([]);
  expect(overlaps(effects.all(), killed)).toEqual([]);
});

test("a leader that was frozen does nothing more when it wakes", { timeout: 90_000 }, async () => {
  await using home = await startSiteServer();
  using effects = new EffectsFile();
  await using two = await startTwo(home, effects);
  const { one, first, second } = two;
  first.kill("SIGSTOP");
  await expect.poll(() => first.isFrozen).toBe(true);
  const frozen = [{ who: "first", seen: effects.all().length }];
  await second.ready;
  await effects.until(startedBy("second"));
  const [asked, before] = [one.requests.length, effects.all().length];
  first.kill("SIGCONT");
  const since = (): Effect[] => effects.all().slice(before);
  // Its pending effect cannot be undone, but its signal aborts at once.
  await effects.until(() => since().filter(({ who }) => who === "first").length >= names.length);
  expect(since().map(({ who, phase }) => `${who} ${phase}`)).toEqual(names.map(() => "first cut"));
  const lease = await home.direct.get("coordination.k8s.io/v1/Lease", "sites");
  expect(lease["spec"]).toMatchObject({ holderIdentity: "second" });
  const wrote = one.requests
    .slice(asked)
    .filter(({ isWrite, path }) => isWrite && !path.includes("/leases/"));
  expect(wrote).toEqual([]);
  expect(overlaps(effects.all(), frozen)).toEqual([]);
});
