import { expect, test } from "vitest";
import { readMap } from "../../../src/runtime/shard/shard-map.js";
import { Lease } from "../../../src/client/kinds/kubernetes.js";
import { ControllerProcess, EffectsFile } from "./controller-process.js";
import { unfinished, type Effect } from "./effects.js";
import { FaultProxy } from "./fault-proxy.js";
import { Onlooker } from "./onlooker.js";
import { overlaps, spread, type Halt } from "./overlaps.js";
import { startSiteServer, type SiteServer } from "./site-server.js";
import { differences, Site, type SiteObject } from "./sites.js";

/** Between the stop of one process and the start of the next there is slack for slow machines. */
const sharding = {
  namespace: "default",
  name: "sites",
  leaseDuration: "4s",
  renewDeadline: "2500ms",
  retryPeriod: "200ms",
  handOver: "1s",
} as const;

const count = 1000;
const names = Array.from({ length: count }, (_, index) => `site-${index}`);
/** Enough objects to be interrupted in the middle. */
const some = names.slice(0, 400);

/** A thousand sites, the processes that share them, and a record of effects and stops. */
class Stage implements AsyncDisposable {
  readonly effects = new EffectsFile();
  readonly halts: Halt[] = [];
  readonly expected = new Map<string, SiteObject["spec"]>();
  readonly #home: SiteServer;
  readonly #onlooker: Onlooker;
  readonly #processes: ControllerProcess[] = [];

  constructor(home: SiteServer, onlooker: Onlooker) {
    this.#home = home;
    this.#onlooker = onlooker;
  }

  /** Starts a process; resolves when it has its share. */
  async start(who: string, proxy?: FaultProxy): Promise<ControllerProcess> {
    const { kubeconfig, url } = this.#home.server;
    const started = new ControllerProcess(
      {
        kubeconfig: this.effects.kubeconfig(kubeconfig, proxy?.url ?? url, who),
        who,
        takes: 20,
        sharding: { ...sharding, identity: who },
      },
      this.effects,
    );
    this.#processes.push(started);
    await started.ready;
    return started;
  }

  /** Writes sites concurrently; returns the number of effects before. */
  async change(title: string, which = names): Promise<number> {
    const before = this.effects.all().length;
    const write = async (name: string): Promise<void> => {
      const spec = { title, pages: 0 };
      const isNew = !this.expected.has(name);
      this.expected.set(name, spec);
      if (isNew) await this.#home.direct.create(Site, { metadata: { name }, spec });
      else await this.#home.direct.patch(Site, name, { spec });
    };
    for (let index = 0; index < which.length; index += 10)
      await Promise.all(which.slice(index, index + 10).map(write));
    return before;
  }

  async delete(which: readonly string[]): Promise<void> {
    for (const name of which) this.expected.delete(name);
    await Promise.all(which.map((name) => this.#home.direct.delete(Site, name)));
  }

  /** Resolves when a process has started a new effect. */
  busy(who: string, since: number): Promise<void> {
    const isNew = (each: Effect, index: number): boolean =>
      index >= since && each.who === who && each.what === "publish" && each.phase === "start";
    return this.effects.until((all) => all.some(isNew));
  }

  /** Records that a process was stopped. */
  halted(who: string): void {
    this.halts.push({ who, seen: this.effects.all().length });
  }

  /** Resolves when every site is up to date, so that each has a process that works on it. */
  async converged(): Promise<void> {
    const wrong = (): string[] => [
      ...differences(this.expected, this.#onlooker.sites, this.#onlooker.pages),
      ...unfinished(
        this.effects.all().filter(({ what }) => what !== "run"),
        this.#onlooker.sites,
      ),
    ];
    await expect.poll(() => wrong().slice(0, 5), { timeout: 180_000, interval: 250 }).toEqual([]);
    expect(overlaps(this.effects.all(), this.halts)).toEqual([]);
  }

  /** Number of shards by process. */
  async shares(): Promise<Record<string, number>> {
    const { items } = await this.#home.direct.list(Lease, { labelSelector: "fettle.dev/shards=sites" });
    const holders = new Map(items.map(({ metadata, spec }) => [metadata.name, spec?.holderIdentity ?? ""]));
    const map = items.find(({ metadata }) => metadata.name === "sites");
    const shares: Record<string, number> = {};
    for (const owner of map === undefined ? [] : readMap(map).owners) {
      const who = owner === undefined ? "nobody" : (holders.get(owner) ?? "somebody who is gone");
      shares[who] = (shares[who] ?? 0) + 1;
    }
    return shares;
  }

  /** Resolves when exactly these processes have so many shards. */
  async shared(shares: Record<string, number>): Promise<void> {
    await expect.poll(() => this.shares(), { timeout: 60_000, interval: 100 }).toEqual(shares);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#processes) await each[Symbol.asyncDispose]();
    this.effects[Symbol.dispose]();
  }
}

test(
  "processes share a thousand objects, and no fault makes two of them work on one",
  { timeout: 600_000 },
  async () => {
    await using home = await startSiteServer();
    await using onlooker = await Onlooker.open(home.direct);
    await using proxy = await FaultProxy.start(home.server.url);
    await using stage = new Stage(home, onlooker);
    const { effects } = stage;

    // All three do a share of the work.
    const first = await stage.start("first");
    const second = await stage.start("second");
    const third = await stage.start("third", proxy);
    const sizes = async () => Object.values(await stage.shares()).toSorted((a, b) => a - b);
    await expect.poll(sizes, { timeout: 60_000 }).toEqual([21, 21, 22]);
    await stage.change("created");
    await stage.converged();
    expect([...spread(effects.all()).keys()].toSorted()).toEqual(["first", "second", "third"]);
    for (const [who, done] of spread(effects.all())) expect(done, who).toBeGreaterThan(count / 6);

    // One is killed during its work.
    await stage.busy("first", await stage.change("while one is killed"));
    first.kill("SIGKILL");
    await first.exited;
    stage.halted("first");
    await stage.converged();
    await stage.shared({ second: 32, third: 32 });

    // One is frozen until others have all of its shards, and continues.
    await stage.busy("second", await stage.change("while one is frozen", some));
    second.kill("SIGSTOP");
    await expect.poll(() => second.isFrozen).toBe(true);
    stage.halted("second");
    await stage.shared({ third: 64 });
    await stage.converged();
    second.kill("SIGCONT");
    await stage.busy("second", await stage.change("while one wakes up", some));
    await stage.converged();
    await stage.shared({ second: 32, third: 32 });

    // One loses its connection during its work: it stops before others start.
    await stage.busy("third", await stage.change("while one is cut off", some));
    proxy.cutOff("silent");
    await stage.shared({ second: 64 });
    await stage.converged();
    proxy.reconnect();
    await stage.shared({ second: 32, third: 32 });

    // One joins, and another is stopped while shards move.
    const changed = await stage.change("while one comes and one goes", some);
    await stage.busy("third", changed);
    const fourth = stage.start("fourth");
    third.kill("SIGTERM");
    expect(await third.exited, third.stderr).toEqual({ code: 0, signal: null });
    await fourth;
    await stage.converged();
    await stage.shared({ second: 32, fourth: 32 });

    // The process that has an object also cleans it up.
    await stage.delete(names.slice(0, 200));
    await stage.converged();
    const last = effects.all().filter(({ what, phase }) => what === "unpublish" && phase === "end");
    expect(new Set(last.map(({ who }) => who))).toEqual(new Set(["second", "fourth"]));
    expect(home.server.errors).toEqual([]);
  },
);
