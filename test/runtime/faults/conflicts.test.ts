import { expect } from "vitest";
import { isConflict, isNotFound, type KubeObject } from "../../../src/model/core.js";
import { startControllers } from "../../../src/runtime/start/start-controllers.js";
import { overlapping, unfinished } from "./effects.js";
import { hurried, Onlooker } from "./onlooker.js";
import { testWithDice } from "./seed.js";
import { startSiteServer } from "./site-server.js";
import { differences, Page, Site, sitesController } from "./sites.js";
import { Workload } from "./workload.js";
import { World } from "./world.js";

const others = "other.dev/archive";

/** Writes of another manager to one object. */
interface Traces {
  label: number;
  visits: number;
  /** True while its finalizer holds the object. */
  holds: boolean;
}

const none: Traces = { label: 0, visits: 0, holds: false };

testWithDice("converges although another manager causes conflicts at nearly every write", async (dice) => {
  await using home = await startSiteServer();
  const { proxy, direct } = home;
  await using onlooker = await Onlooker.open(direct);
  const world = new World();
  const traces = new Map<string, Traces>();
  let count = 0;

  /** Writes a label, the status or a finalizer of an object just before the controller does. */
  async function interfere(kind: typeof Site | typeof Page, name: string): Promise<void> {
    const value = ++count;
    const trace = ({ metadata: { uid = "" } }: KubeObject, left: Partial<Traces>): void =>
      void traces.set(uid, { ...none, ...traces.get(uid), ...left });
    try {
      if (kind === Site && dice.chance(0.5)) {
        trace(await direct.patchStatus(Site, name, { status: { visits: value } }), { visits: value });
      } else {
        const patch = { metadata: { labels: { "other.dev/count": `n${value}` } } };
        trace(await direct.patch(kind, name, patch), { label: value });
      }
      if (kind === Site && dice.chance(0.2)) {
        const site = await direct.modify(Site, name, (site) => ({
          ...site,
          metadata: {
            ...site.metadata,
            finalizers: site.metadata.deletionTimestamp
              ? (site.metadata.finalizers ?? [])
              : [...new Set([...(site.metadata.finalizers ?? []), others])],
          },
        }));
        trace(site, { holds: site.metadata.finalizers?.includes(others) ?? false });
      }
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  proxy.plan = async ({ isWrite, path, method }) => {
    const [, plural, name] = /\/(sites|pages)\/([^/]+)/.exec(path) ?? [];
    if (!isWrite || method === "DELETE" || name === undefined) return undefined;
    // A run gives up after ten conflicts in a row; a writer that always loses makes no progress.
    if (dice.chance(0.15)) return undefined;
    await interfere(plural === "sites" ? Site : Page, name);
    return undefined;
  };
  await using controllers = startControllers({
    controllers: [sitesController(world)],
    client: home.client(),
    clock: hurried,
    observer: world.observer("the controller"),
  });
  const workload = new Workload(direct, dice);
  await controllers.ready();
  for (let turn = 0; turn < 40; turn++) await workload.turn();
  // The other manager removes its finalizer from deleted objects.
  const free = async (): Promise<void> => {
    for (const { metadata } of onlooker.sites) {
      const { name = "", deletionTimestamp, finalizers = [] } = metadata;
      if (deletionTimestamp === undefined || !finalizers.includes(others)) continue;
      const kept = finalizers.filter((each) => each !== others);
      const patch = { metadata: { finalizers: kept, resourceVersion: metadata.resourceVersion } };
      await direct.patch(Site, name, patch).catch((error: unknown) => {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      });
    }
  };
  await onlooker.until(() => {
    const wrong = [
      ...differences(workload.expected, onlooker.sites, onlooker.pages),
      ...unfinished(world.effects, onlooker.sites),
    ];
    if (wrong.length > 0) void free();
    return wrong;
  }, world);
  await controllers.idle();
  expect(proxy.requests.filter(({ code }) => code === 409).length).toBeGreaterThan(10);
  expect(world.problems).toEqual([]);
  expect(overlapping(world.effects)).toEqual([]);

  // The last write of the other manager is still there.
  const sites = (await direct.list(Site)).items;
  const pages = (await direct.list(Page)).items;
  const leftOn = ({ metadata: { uid = "" } }: KubeObject): Traces => traces.get(uid) ?? none;
  for (const object of [...sites, ...pages]) {
    const { label } = leftOn(object);
    const found = object.metadata.labels?.["other.dev/count"];
    expect(found, object.metadata.name).toBe(label === 0 ? undefined : `n${label}`);
  }
  for (const site of sites) {
    const { visits, holds } = leftOn(site);
    expect(site.status?.visits ?? 0, site.metadata.name).toBe(visits);
    expect(site.metadata.finalizers?.includes(others), site.metadata.name).toBe(holds);
  }
});
