import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Client } from "../../src/client/client.js";
import { createClient } from "../../src/client/create-client.js";
import { loadConnection } from "../../src/client/kubeconfig/load-connection.js";
import { httpTransport } from "../../src/client/transport/http/http-transport.js";
import { ConnectionError } from "../../src/client/transport/transport.js";
import { asApiError } from "../../src/model/core.js";
import { freePorts } from "../components/process/port.js";
import { Onlooker } from "../runtime/faults/onlooker.js";
import { testWithDice, type Dice } from "../runtime/faults/seed.js";
import { Site, type PageObject, type SiteObject } from "../runtime/faults/sites.js";
import { fettle, type FettleProcess } from "./fettle-process.js";
import { folderWith } from "./folder.js";

/** A plain test run makes do with fewer: FETTLE_APPLIES=1000 FETTLE_KILLS=10 is the long one. */
const applies = Number(process.env["FETTLE_APPLIES"] ?? 240);
const kills = Number(process.env["FETTLE_KILLS"] ?? 3);
const atOnce = 16;

const example = fileURLToPath(new URL("../../examples/site/index.ts", import.meta.url));

/** What is to be of a site; undefined: it is to be gone. */
type Wanted = SiteObject["spec"] | undefined;

/** What the client knows of a site. */
interface Known {
  /** What the server has said yes to. */
  readonly acknowledged?: { readonly wanted: Wanted; readonly uid: string; readonly version: number };
  /** What was sent and not answered: it may have come about, or not. */
  readonly asked?: { readonly wanted: Wanted };
}

/** Writes many sites at a time, and remembers what it was promised. */
class Applier {
  readonly known = new Map<string, Known>();
  #acknowledged = 0;
  #up: Promise<void> = Promise.resolve();
  #onAcknowledged: (count: number) => void = () => {};

  constructor(
    readonly client: Client,
    readonly dice: Dice,
  ) {}

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** From now on nobody asks before this has resolved. */
  holdUntil(up: Promise<void>): void {
    this.#up = up;
  }

  /** Resolves at the moment when so many writes have been acknowledged. */
  reached(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onAcknowledged = (now) => {
        if (now >= count) resolve();
      };
      this.#onAcknowledged(this.#acknowledged);
    });
  }

  /** Every site once; some change their mind, and some are deleted. Returns how many writes that will be, and the work. */
  start(): { readonly writes: number; readonly done: Promise<unknown> } {
    const { below, chance } = this.dice;
    const plans = Array.from({ length: applies }, (_, index): readonly [string, readonly Wanted[]] => {
      const wanted = (): Wanted => ({ title: `title ${below(1000)}`, pages: 1 + below(3) });
      const more = chance(0.25) ? [wanted()] : chance(0.15) ? [undefined] : [];
      return [`site-${index}`, [wanted(), ...more]];
    });
    const writes = plans.reduce((sum, [, each]) => sum + each.length, 0);
    const left = plans.values();
    const work = async (): Promise<void> => {
      for (const [name, each] of left) for (const wanted of each) await this.#write(name, wanted);
    };
    return { writes, done: Promise.all(Array.from({ length: atOnce }, work)) };
  }

  /** Asks until there is an answer. */
  async #write(name: string, wanted: Wanted): Promise<void> {
    for (;;) {
      await this.#up;
      const before = this.known.get(name);
      this.known.set(name, { ...before, asked: { wanted } });
      try {
        const object =
          wanted === undefined
            ? await this.client.delete(Site, name)
            : await this.client.apply(Site, { metadata: { name }, spec: wanted });
        const { uid = before?.acknowledged?.uid ?? "", resourceVersion = "0" } = object?.metadata ?? {};
        this.known.set(name, { acknowledged: { wanted, uid, version: Number(resourceVersion) } });
        this.#onAcknowledged(++this.#acknowledged);
        return;
      } catch (error) {
        const code = asApiError(error)?.code ?? 0;
        if (!(error instanceof ConnectionError) && code < 500) throw error;
      }
    }
  }
}

/** What was acknowledged and is not there, and what is there and nobody asked for. */
function broken(known: ReadonlyMap<string, Known>, sites: readonly SiteObject[]): string[] {
  const found = new Map(sites.map((site) => [site.metadata.name ?? "", site]));
  const problems: string[] = [];
  for (const [name, { acknowledged, asked }] of known) {
    const site = found.get(name);
    found.delete(name);
    const possible = [
      ...(acknowledged !== undefined || asked === undefined ? [acknowledged?.wanted] : [undefined]),
      ...(asked === undefined ? [] : [asked.wanted]),
    ];
    if (!possible.some((wanted) => same(wanted, site?.spec))) {
      problems.push(`${name} is ${JSON.stringify(site?.spec)}, not any of ${JSON.stringify(possible)}`);
    }
    if (site === undefined || acknowledged?.wanted === undefined) continue;
    const { uid, resourceVersion } = site.metadata;
    if (uid !== acknowledged.uid) problems.push(`${name} is another than the one that was acknowledged`);
    if (Number(resourceVersion) < acknowledged.version) {
      problems.push(`${name} is of ${resourceVersion}, before ${acknowledged.version}`);
    }
  }
  return [...problems, ...Array.from(found.keys(), (name) => `nobody asked for ${name}`)];
}

function same(one: Wanted, other: Wanted): boolean {
  return one?.title === other?.title && one?.pages === other?.pages;
}

/** What the controller has not seen to, and what it or the collector has left behind. */
function unsettled(sites: readonly SiteObject[], pages: readonly PageObject[]): string[] {
  const problems: string[] = [];
  const wanted = new Map<string, string>();
  for (const { metadata, spec, status } of sites) {
    const { name = "", uid = "", generation } = metadata;
    for (let page = 1; page <= spec.pages; page++) {
      const html = `<h1>${spec.title}</h1><p>Page ${page} of ${spec.pages}</p>`;
      wanted.set(`${name}-${page}`, `${uid} ${html}`);
    }
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    const isSettled =
      ready?.status === "True" &&
      ready.observedGeneration === generation &&
      status?.observedGeneration === generation &&
      status?.published === spec.pages;
    if (!isSettled) problems.push(`${name} at ${generation} has the status ${JSON.stringify(status)}`);
    // It is asked at every change, and whoever asks wants to know whether it is over.
    if (problems.length > 9) return problems;
  }
  for (const { metadata, spec } of pages) {
    const { name = "", ownerReferences = [] } = metadata;
    const is = `${ownerReferences.map(({ uid }) => uid).join()} ${spec.html}`;
    if (wanted.get(name) !== is) problems.push(`page ${name} is ${is}, not ${wanted.get(name)}`);
    wanted.delete(name);
  }
  return [...problems, ...Array.from(wanted.keys(), (name) => `page ${name} is missing`)];
}

async function killed(running: FettleProcess): Promise<void> {
  running.process.kill("SIGKILL");
  expect(await running.ended, running.err()).toBe("SIGKILL");
}

testWithDice(
  `what was acknowledged outlives ${kills} kills in the middle of ${applies} applies, and all comes to rest`,
  async (dice) => {
    const cwd = await folderWith();
    const { port } = await freePorts(["port"]);
    const begin = (): FettleProcess => fettle(["up", "--port", String(port), example], { cwd });
    let running = begin();
    await running.says(/Activity:/);
    const connection = await loadConnection({ kubeconfig: join(cwd, ".fettle", "kubeconfig"), env: {} });
    // It asks again by itself, but not before what was kept has been looked at.
    await using client = createClient({
      transport: httpTransport({ connection, rate: false, retries: false }),
    });
    const applier = new Applier(client, dice);
    const { writes, done } = applier.start();
    done.catch(() => {});
    // The last is when the client has all its answers, and the controller is still at work.
    const moments = Array.from({ length: kills - 1 }, () => 1 + dice.below(writes - 1)).sort((a, b) => a - b);
    for (const moment of [...moments, writes]) {
      await Promise.race([applier.reached(moment), done]);
      let open: () => void = () => {};
      applier.holdUntil(new Promise((resolve) => (open = resolve)));
      await killed(running);
      if (dice.chance(0.3)) {
        // Also while it starts, on whatever the last one has left.
        const early = begin();
        setTimeout(() => early.process.kill("SIGKILL"), dice.below(1500));
        await early.ended;
      }
      running = begin();
      await running.says(/Activity:/);
      const { items } = await client.list(Site);
      expect(broken(applier.known, items), `after ${moment} of ${writes}`).toEqual([]);
      open();
    }
    await done;
    expect(applier.acknowledged).toBe(writes);
    await using onlooker = await Onlooker.open(client);
    await onlooker.until(() => unsettled(onlooker.sites, onlooker.pages));
    expect(broken(applier.known, onlooker.sites)).toEqual([]);
    running.process.kill("SIGINT");
    expect(await running.ended, running.err()).toBe(0);
  },
  60_000 + applies * 100 + kills * 10_000,
);
