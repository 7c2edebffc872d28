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

/** A plain test run does fewer; the long one has FETTLE_APPLIES=1000 FETTLE_KILLS=10. */
const applies = Number(process.env["FETTLE_APPLIES"] ?? 240);
const kills = Number(process.env["FETTLE_KILLS"] ?? 3);
const atOnce = 16;

const example = fileURLToPath(new URL("../../examples/site/index.ts", import.meta.url));

/** Desired spec of a site; undefined for a deleted one. */
type Wanted = SiteObject["spec"] | undefined;

/** State of a site as far as the client knows. */
interface Known {
  /** Last acknowledged write. */
  readonly acknowledged?: { readonly wanted: Wanted; readonly uid: string; readonly version: number };
  /** Write without a response, which may or may not have been executed. */
  readonly unacknowledged?: { readonly wanted: Wanted };
}

/** Client that writes many sites concurrently, and records what was acknowledged. */
class Applier {
  readonly state = new Map<string, Known>();
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

  /** Holds all requests until this resolves. */
  holdUntil(up: Promise<void>): void {
    this.#up = up;
  }

  /** Resolves as soon as so many writes have been acknowledged. */
  reached(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onAcknowledged = (now) => {
        if (now >= count) resolve();
      };
      this.#onAcknowledged(this.#acknowledged);
    });
  }

  /**
   * Writes every site once; changes some again, and deletes some. Returns the number of writes, and a promise for their
   * end.
   */
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

  /** Repeats a write until there is a response. */
  async #write(name: string, wanted: Wanted): Promise<void> {
    for (;;) {
      await this.#up;
      const before = this.state.get(name);
      this.state.set(name, { ...before, unacknowledged: { wanted } });
      try {
        const object =
          wanted === undefined
            ? await this.client.delete(Site, name)
            : await this.client.apply(Site, { metadata: { name }, spec: wanted });
        const { uid = before?.acknowledged?.uid ?? "", resourceVersion = "0" } = object?.metadata ?? {};
        this.state.set(name, { acknowledged: { wanted, uid, version: Number(resourceVersion) } });
        this.#onAcknowledged(++this.#acknowledged);
        return;
      } catch (error) {
        const code = asApiError(error)?.code ?? 0;
        if (!(error instanceof ConnectionError) && code < 500) throw error;
      }
    }
  }
}

/** Acknowledged writes that are missing, and objects that were never requested. */
function broken(state: ReadonlyMap<string, Known>, sites: readonly SiteObject[]): string[] {
  const found = new Map(sites.map((site) => [site.metadata.name ?? "", site]));
  const problems: string[] = [];
  for (const [name, { acknowledged, unacknowledged }] of state) {
    const site = found.get(name);
    found.delete(name);
    const possible = [
      ...(acknowledged !== undefined || unacknowledged === undefined ? [acknowledged?.wanted] : [undefined]),
      ...(unacknowledged === undefined ? [] : [unacknowledged.wanted]),
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

/** Sites that the controller has not finished, and objects that should have been deleted. */
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
    // Called for every change, so it returns at the first difference.
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
  `acknowledged writes survive ${kills} kills during ${applies} applies, and controllers finish their work`,
  async (dice) => {
    const cwd = await folderWith();
    const { port } = await freePorts(["port"]);
    const begin = (): FettleProcess => fettle(["up", "--port", String(port), example], { cwd });
    let running = begin();
    await running.says(/Activity:/);
    const connection = await loadConnection({ kubeconfig: join(cwd, ".fettle", "kubeconfig"), env: {} });
    // Requests are repeated, but not before the stored data has been checked.
    await using client = createClient({
      transport: httpTransport({ connection, rate: false, retries: false }),
    });
    const applier = new Applier(client, dice);
    const { writes, done } = applier.start();
    done.catch(() => {});
    // The last kill is after all responses, while the controller still works.
    const moments = Array.from({ length: kills - 1 }, () => 1 + dice.below(writes - 1)).sort((a, b) => a - b);
    for (const moment of [...moments, writes]) {
      await Promise.race([applier.reached(moment), done]);
      let open: () => void = () => {};
      applier.holdUntil(new Promise((resolve) => (open = resolve)));
      await killed(running);
      if (dice.chance(0.3)) {
        // Also during a start, with whatever data the last process left.
        const early = begin();
        setTimeout(() => early.process.kill("SIGKILL"), dice.below(1500));
        await early.ended;
      }
      running = begin();
      await running.says(/Activity:/);
      const { items } = await client.list(Site);
      expect(broken(applier.state, items), `after ${moment} of ${writes}`).toEqual([]);
      open();
    }
    await done;
    expect(applier.acknowledged).toBe(writes);
    await using onlooker = await Onlooker.open(client);
    await onlooker.until(() => unsettled(onlooker.sites, onlooker.pages));
    expect(broken(applier.state, onlooker.sites)).toEqual([]);
    running.process.kill("SIGINT");
    expect(await running.ended, running.err()).toBe(0);
  },
  60_000 + applies * 100 + kills * 10_000,
);
